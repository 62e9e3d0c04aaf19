import { eceOfBins, mceOfBins, reliabilityBins } from './reliability-bins.js';

/**
 * Expected calibration error, Eq. (ece): sum_b (n_b / N) |acc_b - conf_b| over B equal-width bins, a fraction in [0, 1].
 * The rule of the bins is BIN_RULE. No examples is an error.
 */
export function ece(confidences: ArrayLike<number>, correct: ArrayLike<number | boolean>, binCount = 10): number {
  return eceOfBins(reliabilityBins(confidences, correct, binCount));
}

/** Maximum calibration error: max_b |acc_b - conf_b| over the bins that hold an example, in [0, 1]. */
export function mce(confidences: ArrayLike<number>, correct: ArrayLike<number | boolean>, binCount = 10): number {
  return mceOfBins(reliabilityBins(confidences, correct, binCount));
}
