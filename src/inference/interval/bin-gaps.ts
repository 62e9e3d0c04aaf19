import type { ReliabilityBin } from '../../metrics/bins/reliability-bin.js';

/** What the evaluation splits of one method show, as one set of B' bins that hold an example. */
export interface BinGaps {
  /** Examples of one split, N. */
  readonly total: number;
  /** Mean n_b of a split, above 0; with splits or equal-mass bins perhaps no whole number. */
  readonly counts: Float64Array;
  /** Mean confidence of the bin, in [0, 1]. */
  readonly confidences: Float64Array;
  /** d_b = confidence minus accuracy, in [-1, 1]. */
  readonly gaps: Float64Array;
  /** S. */
  readonly splits: number;
  /** Correlation of the noise of two splits: the share of one split's examples that is in another, 1 for S = 1. */
  readonly overlap: number;
}

/**
 * Gaps d_b = conf_b - acc_b of Eq. (ece), of one evaluation or of S evaluations of random splits of the same examples,
 * put together bin by bin: all have the same number of bins.
 *
 * @param evaluationFraction share of all examples that a split measures, 0.7 in the paper, and the overlap of two
 */
export function binGaps(samples: ReadonlyArray<readonly ReliabilityBin[]>, evaluationFraction = 1): BinGaps {
  const sums = new Map<number, [count: number, confidence: number, gap: number]>();
  for (const bins of samples) {
    for (const [b, { count, confidence, overconfidence }] of bins.entries()) {
      if (confidence === null || overconfidence === null) continue;
      const [n, c, d] = sums.get(b) ?? [0, 0, 0];
      sums.set(b, [n + count, c + count * confidence, d + count * overconfidence]);
    }
  }
  const filled = [...sums].sort(([a], [b]) => a - b).map(([, sum]) => sum);
  const splits = samples.length;
  const counts = Float64Array.from(filled, ([count]) => count / splits);
  return {
    total: counts.reduce((sum, count) => sum + count, 0),
    counts,
    confidences: Float64Array.from(filled, ([count, confidence]) => confidence / count),
    gaps: Float64Array.from(filled, ([count, , gap]) => gap / count),
    splits,
    overlap: splits === 1 ? 1 : evaluationFraction,
  };
}

/**
 * Binned calibration errors: ECE of Eq. (ece), power 1, and the root-mean-square error (Hendrycks et al. 2019), power
 * 2.
 */
export type ErrorPower = 1 | 2;

/** (sum_b (n_b / N) |d_b|^power)^(1 / power), Eq. (ece) for power 1, of any gaps of the same bins; in [0, 1]. */
export function binnedError({ total, counts }: BinGaps, gaps: ArrayLike<number>, power: ErrorPower): number {
  let sum = 0;
  for (let b = 0; b < counts.length; b++) {
    const size = Math.abs(gaps[b] ?? 0);
    sum += counts[b]! * (power === 1 ? size : size ** power);
  }
  return power === 1 ? sum / total : Math.sqrt(sum / total);
}
