import { shareBelow, upperQuantile } from '../law/skewed-law.js';
import type { BinGaps, ErrorPower } from './bin-gaps.js';
import { errorLaw } from './error-law.js';

/** What a perfectly calibrated model with these confidences and this N would show. */
export interface CalibratedReference {
  /** Mean and 95th percentile of its measured ECE, in [0, 1]. */
  readonly mean: number;
  readonly high: number;
  /** Test of calibration: how often it would show at least the measured error, in (0, 1]. */
  readonly pValue: number;
}

/** Further out the law is not known: no p-value is smaller. */
const LEAST_P = 1e-4;
/** What rounding may take off a measured error. */
const ROUNDING = 1e-9;

/**
 * Consistency resampling (Broecker and Smith 2007; as a test, Vaicenavicius et al. 2019): the law of ECE, Eq. (ece),
 * when labels come from the confidences, by `errorLaw` at gaps of 0. The test looks at gaps of the bins alone, so it
 * has no power against gaps that cancel inside a bin.
 *
 * @param measured the mean over splits of the measured error (for power 2 the root of its mean square)
 */
export function calibratedReference(bins: BinGaps, measured: number, power: ErrorPower = 1): CalibratedReference {
  const { moments } = errorLaw(bins, new Float64Array(bins.counts.length), power);
  const { mean, deviation } = moments;
  const [scaled, unscaled] =
    power === 1 ? [measured, (x: number) => x] : [measured ** 2, (x: number) => Math.sqrt(Math.max(0, x))];
  return {
    // The mean of a root, to the second order.
    mean: power === 1 ? mean : Math.sqrt(Math.max(0, mean - deviation ** 2 / (4 * mean))),
    high: unscaled(Math.max(0, upperQuantile(moments, 0.95))),
    pValue: Math.max(LEAST_P, 1 - shareBelow(moments, scaled - ROUNDING)),
  };
}
