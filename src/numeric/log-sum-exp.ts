/** ln of the sum of exp(values[i]), shifted by the maximum so that nothing overflows; -Infinity for no values. */
export function logSumExp(values: ArrayLike<number>): number {
  let max = Number.NEGATIVE_INFINITY;
  let at = -1;
  for (let i = 0; i < values.length; i++) {
    if (values[i]! > max) {
      max = values[i]!;
      at = i;
    }
  }
  if (at < 0) return max;
  let rest = 0;
  for (let i = 0; i < values.length; i++) if (i !== at) rest += Math.exp(values[i]! - max);
  return max + Math.log1p(rest);
}
