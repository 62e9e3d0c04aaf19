import { studentP, studentQuantile } from './law/beta-law.js';
import { unionPValue } from './law/union-p-value.js';
import { type PairedReadings, pairedReadings } from './paired-readings.js';
import type { SignedErrors } from './signed-errors.js';

/** ECE of one method less that of another, on the same examples. */
export interface PairedDifference {
  /**
   * Difference of the signed errors, in [-1, 1]: what the test looks at. Differences of ECE itself carry two biases.
   */
  readonly difference: number;
  /** Total: over new data sets, refits and splits; of the difference with the signs of both errors as found. */
  readonly standardError: number;
  /** Interval of level 0.95; it spans both differences where the sign of one of the errors could be the other one. */
  readonly low: number;
  readonly high: number;
  /** Two-sided, in (0, 1]. */
  readonly pValue: number;
}

/**
 * Test that two methods have the same ECE, studentised (Davison and Hinkley 1997, Sec. 4.4) by a nested bootstrap with
 * refit. ECE = sum_b P(b) |g_b| is not smooth where a gap is 0, and its resamples are wrong there; signed errors x and
 * y are means (`signedErrors`). Their sizes are equal where x = y or x = -y: x - y and x + y, in units of their errors,
 * are nearly independent normal statistics, and the null hypothesis is that one of them has mean 0 (`unionPValue`). The
 * difference alone would be certain where one method is over- and the other as much under-confident. B resamples know
 * an error only so well: the law is Student's (1908) with B - 1 degrees of freedom. Size and power, measured:
 * bench/inference/README.md.
 */
export function pairedDifference(a: SignedErrors, b: SignedErrors): PairedDifference {
  const all = pairedReadings(a, b);
  const freedom = Math.max(1, a.overallDraws.length - 1);
  const quantile = studentQuantile(0.975, freedom);
  const pValues = all.map((readings) => pValueOf(readings, freedom));
  const directions = new Set(all.map(({ difference }) => Math.sign(difference.value)));
  const pValue = directions.size > 1 ? 1 : Math.max(...pValues);
  const { difference } = all[pValues.indexOf(Math.max(...pValues))] ?? all[0];
  const intervals = all.map((readings) => interval(readings, quantile));
  return {
    difference: difference.value,
    standardError: difference.error,
    low: Math.min(...intervals.map(({ low }) => low)),
    high: Math.max(...intervals.map(({ high }) => high)),
    pValue,
  };
}

function pValueOf({ difference, sum, correlation }: PairedReadings, freedom: number): number {
  if (difference.value === 0) return 1;
  const [p, q] = [difference, sum].map(({ value, error }) => studentP(value / error, freedom)) as [number, number];
  return unionPValue(p, q, correlation);
}

/**
 * The difference with the signs as found and, where one of them is not clear, the one with the other sign: |x| - |y| is
 * then x + y, or -x - y where x is less than y. 0 is outside where both statistics are beyond the quantile.
 */
function interval({ difference, sum, clearness }: PairedReadings, quantile: number): { low: number; high: number } {
  const [reach, other] = [quantile * difference.error, quantile * sum.error];
  const found = { low: difference.value - reach, high: difference.value + reach };
  if (clearness > quantile) return found;
  const reversed = Math.sign(difference.value) * sum.value;
  return { low: Math.min(found.low, reversed - other), high: Math.max(found.high, reversed + other) };
}
