import { shareBelow } from '../law/skewed-law.js';
import { type BinGaps, binnedError, type ErrorPower } from './bin-gaps.js';
import { errorLaw } from './error-law.js';
import { type GapFamily, mixedGaps, shrunkGaps, smoothedGaps } from './gap-families.js';

/** An interval of level 0.95 for the true error, in [0, 1]. */
export interface ErrorInterval {
  readonly low: number;
  readonly high: number;
}

export interface IntervalOptions {
  /** 2 for the root-mean-square calibration error. */
  readonly power?: ErrorPower;
  /** Total standard error of the measured ECE, with refits (`nestedBootstrap`); default: temperatures are fixed. */
  readonly totalError?: number;
  /** How much wider than `errorLaw` the law is, where its bins are not independent; default 1. */
  readonly widening?: number;
}

/** Both tails together. */
const MISS = 0.05;
/**
 * Deviations above the law of a calibrated model from which on the two tails are alike: the one-sided normal quantile
 * of 0.95.
 */
const APART = 1.6449;
const HALVINGS = 12;
const LEAST = 1e-9;

/**
 * Interval of level 0.95 for the true ECE, sum_b P(b) |E[conf - right | b]| over the population with the same bins, by
 * inversion of tests (Neyman 1937): a level is in it unless the measured ECE is in a tail of `errorLaw` at that level.
 * It is made for the bias of ECE: measured near what a calibrated model shows it begins at 0. The lower tail has no
 * weight at level 0 and 0.025 from where the laws are apart, the upper tail the rest of 0.05 (as in the unified
 * intervals of Feldman and Cousins 1998). Which gaps make up a level is not known: the upper end takes `shrunkGaps`,
 * the lower one `mixedGaps`. Debiased ECE estimates the same number and shares the interval.
 *
 * Coverage, measured: bench/inference/README.md.
 *
 * @param measured the mean over splits of the measured error; for power 2 the root of the mean of its squares
 */
export function eceInterval(bins: BinGaps, measured: number, options: IntervalOptions = {}): ErrorInterval {
  const { power = 1 } = options;
  const calibrated = errorLaw(bins, new Float64Array(bins.counts.length), power).moments.mean;
  const widening = wideningOf(bins, options);
  const tails = (family: GapFamily, level: number) => {
    const { moments } = errorLaw(bins, family(level), power);
    const { mean, deviation } = moments;
    const apart = (mean - calibrated) / (deviation * widening * APART);
    const lower = (MISS / 2) * Math.min(1, Math.max(0, apart));
    const share = shareBelow(moments, mean + (measured ** power - mean) / widening);
    return { below: share >= lower, above: 1 - share >= MISS - lower };
  };
  const spread = shrunkGaps(bins, power);
  // Gaps are cut where an accuracy would leave [0, 1]: the level that is left counts.
  const high = errorLaw(bins, spread(boundary([0, 1], (level) => tails(spread, level).below)), power).level;
  if (binnedError(bins, bins.gaps, power) === 0) return { low: 0, high };
  const near = mixedGaps(bins, power);
  if (tails(near, LEAST).above) return { low: 0, high };
  const low = boundary([0, measured], (level) => !tails(near, level).above);
  return { low, high: Math.max(low, high) };
}

/**
 * How much wider the law of the ECE is than that of fixed temperatures and splits, at the likely gaps: a total standard
 * error (Efron 1979) over the law's own; the widening that is given without one.
 */
export function wideningOf(bins: BinGaps, { totalError, widening = 1 }: IntervalOptions): number {
  if (totalError === undefined) return widening;
  const { deviation } = errorLaw(bins, smoothedGaps(bins).map(Math.abs), 1).moments;
  return deviation < LEAST ? widening : Math.max(widening, totalError / deviation);
}

/** Where a condition that holds at the first end turns false; the last end where it never does. */
function boundary([first, last]: readonly [number, number], holds: (level: number) => boolean): number {
  let [low, high] = [first, last];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
