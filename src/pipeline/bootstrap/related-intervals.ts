import { type BinGaps, binGaps } from '../../inference/interval/bin-gaps.js';
import { classwiseWidening } from '../../inference/interval/classwise-widening.js';
import { type ErrorInterval, eceInterval } from '../../inference/interval/ece-interval.js';
import { largestGapInterval } from '../../inference/interval/largest-gap-interval.js';
import { smoothInterval } from '../../inference/interval/smooth-interval.js';
import type { CellInference } from '../../results/summarise-runs.js';
import type { MeasuredMethod } from './bootstrap-pool.js';

interface EceOfCell {
  readonly gaps: BinGaps;
  /** Interval of the ECE. */
  readonly ece: ErrorInterval;
  /** How much wider than at fixed temperatures the law of the ECE is. */
  readonly widening: number;
}

/**
 * Intervals of the relatives of the ECE, wider than at fixed temperatures by as much as that of the ECE is. A debiased
 * error estimates the same number as the error itself and shares its interval.
 */
export function relatedIntervals(
  { rmsCe, smoothEce, confidences, classwise, bins }: MeasuredMethod,
  { gaps, ece, widening }: EceOfCell,
): CellInference['intervals'] {
  const rms = rmsCe === null ? null : inPp(eceInterval(gaps, rmsCe, { power: 2, widening }));
  return {
    debiasedEce: inPp(ece),
    rmsCe: rms,
    debiasedRmsCe: rms,
    mce: inPp(largestGapInterval(gaps, widening)),
    smoothEce: smoothEce === null ? null : inPp(smoothInterval(gaps, confidences, smoothEce, widening)),
    classwiseEce: classwise === null ? null : inPp(classwiseInterval(classwise, bins.length, { gaps, widening })),
  };
}

function classwiseInterval(
  { bins, ece, options }: NonNullable<MeasuredMethod['classwise']>,
  splits: number,
  { gaps, widening }: Pick<EceOfCell, 'gaps' | 'widening'>,
): ErrorInterval {
  const ofClasses = binGaps(bins, splits === 1 ? 1 : gaps.overlap);
  return eceInterval(ofClasses, ece, { widening: widening * classwiseWidening(ofClasses, options) });
}

function inPp({ low, high }: ErrorInterval) {
  return { lowPp: 100 * low, highPp: 100 * high };
}
