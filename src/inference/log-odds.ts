import type { RaggedRows } from '../numeric/ragged-rows.js';

/**
 * ln p_n - ln(1 - p_n) of the top option of softmax(beta d_n), Eq. (ece)'s confidence: -ln sum over the other options of exp(beta d_n[k]), finite where p_n itself
 * rounds to 1, so that sure answers keep their order in AUROC and AURC (`auroc(rankedConfidences(logOdds, correct))`).
 * The order of the top probabilities is the same in exact arithmetic.
 *
 * @param gaps d_n[k] = z_n[k] - max z_n, at least one of each row 0
 * @param inverseTemperature beta; at 0 the odds are 1 to K - 1
 * @returns N numbers; Infinity for a row of one option
 */
export function logOdds({ rowCount, offsets, values }: RaggedRows, inverseTemperature: number): Float64Array {
  const odds = new Float64Array(rowCount);
  for (let n = 0; n < rowCount; n++) {
    const [start, end] = [offsets[n] ?? 0, offsets[n + 1] ?? 0];
    let [top, second] = [-1, Number.NEGATIVE_INFINITY];
    for (let k = start; k < end; k++) {
      const gap = values[k] ?? 0;
      if (gap === 0 && top === -1) top = k;
      else second = Math.max(second, gap);
    }
    let sum = 0;
    for (let k = start; k < end; k++) if (k !== top) sum += Math.exp(inverseTemperature * ((values[k] ?? 0) - second));
    odds[n] = end - start === 1 ? Number.POSITIVE_INFINITY : -(inverseTemperature * second + Math.log(sum));
  }
  return odds;
}

/** ln c - ln(1 - c) of a stated confidence in [0, 1] (the logit, Berkson 1944); -Infinity at 0, Infinity at 1. */
export function logOddsOfConfidence(confidence: number): number {
  return Math.log(confidence) - Math.log1p(-confidence);
}
