import type { BinTally } from './bins/bin-tally.js';

/** brier = reliability - resolution + uncertainty + withinBinVariance - withinBinCovariance, to rounding. */
export interface BrierDecomposition {
  /** How far the bins' mean probabilities are from their observed frequencies; 0 is calibrated. */
  readonly reliability: number;
  /** How far the bins' frequencies are from the overall frequency; more is better. */
  readonly resolution: number;
  /** Variance of the labels themselves. */
  readonly uncertainty: number;
  /** Spread of the probabilities inside the bins. */
  readonly withinBinVariance: number;
  /** Twice the covariance of probability and outcome inside the bins. */
  readonly withinBinCovariance: number;
}

/**
 * Decomposition of the multiclass Brier score (Murphy 1973) with the two terms of Stephenson, Coelho and Jolliffe
 * (2008) that make it exact for binned probabilities. Of every option k, over the N_k examples that have it, in
 * equal-width bins b of q_k: (1/N) times the sums over k and b of n (qbar - obar_b)^2, n (obar_b - obar_k)^2, n obar_k
 * (1 - obar_k), sum (q - qbar)^2, 2 sum (q - qbar)(o - obar_b).
 */
export function brierDecomposition(tallies: readonly BinTally[], count: number): BrierDecomposition {
  let [reliability, resolution, uncertainty, variance, covariance] = [0, 0, 0, 0, 0];
  for (const { binCount, counts, confidenceSums, hits, squareSums, hitConfidenceSums } of tallies) {
    const total = counts.reduce((sum, n) => sum + n, 0);
    const frequency = hits.reduce((sum, n) => sum + n, 0) / total;
    uncertainty += total * frequency * (1 - frequency);
    for (let b = 0; b < binCount; b++) {
      const n = counts[b]!;
      if (n === 0) continue;
      const confidence = confidenceSums[b]!;
      const right = hits[b]!;
      reliability += (confidence - right) ** 2 / n;
      resolution += n * (right / n - frequency) ** 2;
      variance += squareSums[b]! - confidence ** 2 / n;
      covariance += 2 * (hitConfidenceSums[b]! - (confidence * right) / n);
    }
  }
  return {
    reliability: reliability / count,
    resolution: resolution / count,
    uncertainty: uncertainty / count,
    withinBinVariance: variance / count,
    withinBinCovariance: covariance / count,
  };
}
