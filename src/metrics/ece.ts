import { binErrors } from './bins/bin-errors.js';
import type { Binning } from './bins/binning.js';
import { reliabilityBins } from './bins/reliability-bins.js';

/**
 * Expected calibration error, Eq. (ece): sum_b (n_b / N) |acc_b - conf_b| over B bins, a fraction in [0, 1]. Default:
 * ten equal-width bins, left-owned. No examples is an error.
 */
export function ece(
  confidences: ArrayLike<number>,
  correct: ArrayLike<number | boolean>,
  binning: Partial<Binning> = {},
): number {
  return binErrors(reliabilityBins(confidences, correct, binning)).ece;
}
