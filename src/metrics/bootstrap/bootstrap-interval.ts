import { quantile } from '../../numeric/quantile.js';

/** Share of the resamples inside an interval. */
export const INTERVAL_LEVEL = 0.95;

/** How intervals and p-values come about, for reports. */
export const BOOTSTRAP_RULE =
  'percentile intervals of the resamples, moved so that their median is the measured value: resampling adds the bias of finite bins a second time';

/** Two fits of one objective can end this far apart by rounding; no smaller difference of ECE counts as one. */
const ROUNDING = 1e-9;

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** A difference of two methods on the same resamples. */
export interface PairedDifference extends Interval {
  /** Two-sided, in (0, 1]. */
  readonly pValue: number;
}

/**
 * Percentile interval (Efron 1981) of an ECE, in [0, 1]: the 2.5 % and 97.5 % quantiles of the resamples less their
 * bias, measured + (ECE* - median ECE*). The plain quantiles can all lie above the measured ECE, since |gap*| of a
 * calibrated bin is noise on top of noise (Kumar et al. 2019 subtract that bias too). null when no resample has a
 * value.
 */
export function bootstrapInterval(resamples: Float64Array, measured: number): Interval | null {
  const interval = percentiles(recentred(resamples, measured));
  return interval && { low: Math.max(0, interval.low), high: Math.min(1, interval.high) };
}

/**
 * Paired bootstrap of A - B: interval of d = measured + (d* - median d*), and the p-value that inverts it (Hall and
 * Wilson 1991: centre the resamples before a test; Davison and Hinkley 1997, Sec. 4.4): p = min(1, 2 (1 + min(#{d <=
 * 0}, #{d >= 0})) / (B + 1)). Methods that differ by rounding alone have p = 1. null when no resample has a value.
 */
export function pairedDifference(a: Float64Array, b: Float64Array, measured: number): PairedDifference | null {
  const differences = recentred(
    a.map((value, i) => value - b[i]!),
    measured,
  );
  const interval = percentiles(differences);
  if (interval === null) return null;
  let [atMost, atLeast] = [0, 0];
  for (const difference of differences) {
    if (difference <= ROUNDING) atMost++;
    if (difference >= -ROUNDING) atLeast++;
  }
  return { ...interval, pValue: Math.min(1, (2 * (1 + Math.min(atMost, atLeast))) / (differences.length + 1)) };
}

/** Resamples that have a value, ascending, with the measured value as their median: no interval can leave it out. */
function recentred(resamples: Float64Array, measured: number): Float64Array {
  const known = resamples.filter((value) => !Number.isNaN(value)).sort();
  if (known.length === 0) return known;
  const shift = measured - quantile(known, 0.5);
  return known.map((value) => value + shift);
}

function percentiles(ascending: Float64Array): Interval | null {
  if (ascending.length === 0) return null;
  const tail = (1 - INTERVAL_LEVEL) / 2;
  return { low: quantile(ascending, tail), high: quantile(ascending, 1 - tail) };
}
