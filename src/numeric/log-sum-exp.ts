/**
 * ln of the sum of exp(values[i]), shifted by the maximum so that nothing overflows (Blanchard, Higham and Higham
 * 2021); -Infinity for no values.
 */
export function logSumExp(values: ArrayLike<number>): number {
  const { max, logTotal } = shiftedLogTotal(values);
  return max + logTotal;
}

/**
 * The two terms of log-sum-exp (Blanchard, Higham and Higham 2021): the maximum, and ln of the sum of exp(values[i] -
 * max), 0 or above: apart, since their sum loses digits where the maximum is large. The same values in another order
 * give the same bits.
 */
export function shiftedLogTotal(values: ArrayLike<number>): { readonly max: number; readonly logTotal: number } {
  let max = Number.NEGATIVE_INFINITY;
  let at = -1;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value > max) {
      max = value;
      at = i;
    }
  }
  if (at < 0) return { max, logTotal: 0 };
  const masses = Float64Array.from(values, (value, i) => (i === at ? 0 : Math.exp(value - max))).sort();
  let rest = 0;
  for (const mass of masses) rest += mass;
  return { max, logTotal: Math.log1p(rest) };
}
