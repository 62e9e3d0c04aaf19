/**
 * Draws from the distribution p_i proportional to exp(logits[i] / temperature), by inversion of its sums (Devroye 1986,
 * Sec. III.2).
 *
 * @param temperature 0: the index of the largest logit, the lowest of equal ones, whatever `uniform` is
 * @param uniform in [0, 1)
 * @returns an index, or -1 when a logit is not a finite number
 */
export function drawIndex(logits: readonly number[], temperature: number, uniform: number): number {
  if (!logits.every(Number.isFinite)) return -1;
  const largest = Math.max(...logits);
  if (temperature === 0) return logits.indexOf(largest);
  const weights = logits.map((logit) => Math.exp((logit - largest) / temperature));
  let left = uniform * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [index, weight] of weights.entries()) {
    left -= weight;
    if (left < 0) return index;
  }
  // Rounding may leave a rest; the largest weight is never 0.
  return logits.indexOf(largest);
}
