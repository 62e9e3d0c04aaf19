import type { Binning } from '../metrics/bins/binning.js';
import type { ReliabilityBin } from '../metrics/bins/reliability-bin.js';
import { reliabilityBins } from '../metrics/bins/reliability-bins.js';
import { checkMeasured } from './check-measured.js';

/**
 * The bins of a reliability diagram, Fig. 1: how many confidences are in each, their mean, and the share of right
 * predictions. Arguments and faults as for `ece`.
 */
export function reliability(
  confidences: ArrayLike<number>,
  correct: ArrayLike<number | boolean>,
  binning: Partial<Binning> = {},
): ReliabilityBin[] {
  checkMeasured(confidences, correct);
  return reliabilityBins(confidences, correct, binning);
}
