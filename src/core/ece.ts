import type { Binning } from '../metrics/bins/binning.js';
import { ece as measuredEce } from '../metrics/ece.js';
import { checkMeasured } from './check-measured.js';

/**
 * Expected calibration error, Eq. (ece): a fraction in [0, 1]. Default: ten equal-width bins that own their left edge.
 *
 * @param confidences N numbers in [0, 1]
 * @param correct N flags: true or 1 where the prediction is right
 * @throws SupportCalError bad-input: lists of different lengths, none at all, or a value that is no confidence or flag
 */
export function ece(
  confidences: ArrayLike<number>,
  correct: ArrayLike<number | boolean>,
  binning: Partial<Binning> = {},
): number {
  checkMeasured(confidences, correct);
  return measuredEce(confidences, correct, binning);
}
