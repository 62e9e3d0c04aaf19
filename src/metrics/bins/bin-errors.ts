import { SupportCalError } from '../../errors/supportcal-error.js';
import { foldedNormalMean } from '../../numeric/folded-normal.js';
import type { ReliabilityBin } from './reliability-bin.js';

/** Calibration errors of the same bins. */
export interface BinErrors {
  /** Eq. (ece): sum_b (n_b / N) |acc_b - conf_b|, in [0, 1]. */
  readonly ece: number;
  /**
   * Maximum calibration error (Naeini et al. 2015): the largest |acc_b - conf_b| of a bin with an example, in [0, 1].
   */
  readonly mce: number;
  /**
   * Root-mean-square calibration error (Hendrycks et al. 2019): sqrt(sum_b (n_b / N) (acc_b - conf_b)^2), in [0, 1].
   */
  readonly rmsCe: number;
  /**
   * ECE less its bias from finite bins: 2 ECE - E[sum_b (n_b / N) |a_b - conf_b|] with a_b ~ N(acc_b, acc_b (1 - acc_b)
   * / n_b), the estimator of Kumar et al. 2019 for p = 1 (`get_ece(debias=True)` of their package, which draws 1000
   * samples where this takes the expectation). A little below 0 where the bins show no more than noise.
   */
  readonly debiasedEce: number;
  /**
   * RMS calibration error less its bias (Broecker 2012; Kumar et al. 2019, Sec. 4):
   * sqrt(max(0, sum_b (n_b / N) ((acc_b - conf_b)^2 - acc_b (1 - acc_b) / (n_b - 1)))). A bin of one example, whose
   * variance is unknown, adds 0 as in their package.
   */
  readonly debiasedRmsCe: number;
}

/** Every binned calibration error of top-label confidence, Eq. (ece) first. No examples at all is an error. */
export function binErrors(bins: readonly ReliabilityBin[]): BinErrors {
  const total = countOf(bins);
  let [ece, mce, square, debiasedEce, debiasedSquare] = [0, 0, 0, 0, 0];
  for (const { count, accuracy, confidence } of bins) {
    if (accuracy === null || confidence === null) continue;
    const share = count / total;
    const gap = Math.abs(accuracy - confidence);
    const spread = Math.max(0, accuracy * (1 - accuracy));
    ece += share * gap;
    mce = Math.max(mce, gap);
    square += share * gap ** 2;
    debiasedEce += share * (2 * gap - foldedNormalMean(gap, Math.sqrt(spread / count)));
    if (count > 1) debiasedSquare += share * (gap ** 2 - spread / (count - 1));
  }
  return {
    ece,
    mce,
    rmsCe: Math.sqrt(square),
    debiasedEce,
    debiasedRmsCe: Math.sqrt(Math.max(0, debiasedSquare)),
  };
}

/** Eq. (ece) alone, of finished bins. */
export function eceOfBins(bins: readonly ReliabilityBin[]): number {
  return binErrors(bins).ece;
}

function countOf(bins: readonly ReliabilityBin[]): number {
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  if (total === 0)
    throw new SupportCalError('bad-input', 'expected at least one labelled example to measure calibration on');
  return total;
}
