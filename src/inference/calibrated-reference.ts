import { quantile } from '../numeric/quantile.js';
import type { BinGaps, ErrorPower } from './bin-gaps.js';
import { errorLaw, LAW_DRAWS } from './error-law.js';

/** What a perfectly calibrated model with these confidences and this N would show. */
export interface CalibratedReference {
  /** Mean and 95th percentile of its measured ECE, in [0, 1]. */
  readonly mean: number;
  readonly high: number;
  /** Test of calibration: how often it would show at least the measured error, in (0, 1]. */
  readonly pValue: number;
}

/**
 * Consistency resampling (Broecker and Smith 2007; as a test, Vaicenavicius et al. 2019): the law of ECE, Eq. (ece),
 * when labels are drawn from the confidences, by `errorLaw` at gaps of 0. p = (1 + #{ECE* >= ECE}) / (draws + 1); it
 * looks at gaps of the bins alone, so it has no power against gaps that cancel inside a bin.
 *
 * @param measured the mean over splits of the measured error
 */
export function calibratedReference(bins: BinGaps, measured: number, power: ErrorPower = 1): CalibratedReference {
  const { draws } = errorLaw(bins, new Float64Array(bins.counts.length), power);
  const ascending = draws.sort();
  const atLeast = ascending.reduce((count, draw) => count + (draw >= measured ? 1 : 0), 0);
  return {
    mean: ascending.reduce((sum, draw) => sum + draw, 0) / LAW_DRAWS,
    high: quantile(ascending, 0.95),
    pValue: (1 + atLeast) / (LAW_DRAWS + 1),
  };
}
