import { type Range, slopeRange } from './slope-range.js';
import type { UntoldRow } from './untold-row.js';

/** One example of a fit. */
export interface FittedRow {
  readonly target: UntoldRow;
  readonly teacher: UntoldRow;
  /** 0 or more. It does not depend on what is untold. */
  readonly weight: number;
}

/** Beyond this inverse temperature, logits are as good as one-hot; below its inverse they are as good as uniform. */
const LARGEST_BETA = 1e9;
const HALVINGS = 60;

/**
 * Range of the inverse temperature beta = 1/tau that minimises Eq. (tempobj), over all values that the untold options
 * may have. Every term of L' rises with beta whatever these values are, so the sums of the least and of the largest
 * terms rise too, and their roots are the ends: no value of the untold options has its root beyond them.
 *
 * @returns 0 for an infinite temperature, Infinity for one of 0
 */
export function temperatureRange(rows: readonly FittedRow[]): Range {
  const fitted = rows.filter(({ weight }) => weight > 0);
  let exact = true;
  const slope = (end: 'low' | 'high') => (beta: number) => {
    let sum = 0;
    for (const { target, teacher, weight } of fitted) {
      const range = slopeRange(target, teacher, beta);
      exact &&= range.exact;
      sum += weight * range[end];
      if (sum === Number.POSITIVE_INFINITY) return sum;
    }
    return sum;
  };
  return { low: rootOf(slope('high')), high: rootOf(slope('low')), exact };
}

/** Where a rising function of beta is 0. */
function rootOf(slope: (beta: number) => number): number {
  if (slope(1 / LARGEST_BETA) >= 0) return 0;
  let high = 1;
  while (slope(high) < 0) {
    high *= 2;
    if (high > LARGEST_BETA) return Number.POSITIVE_INFINITY;
  }
  let low = high === 1 ? 0 : high / 2;
  for (let n = 0; n < HALVINGS && high - low > 1e-12 * high; n++) {
    const middle = (low + high) / 2;
    if (slope(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
