import { studentP, studentQuantile } from './law/beta-law.js';
import type { NestedResamples } from './nested-bootstrap.js';

/** ECE of one method less that of another, on the same examples. */
export interface PairedDifference {
  /**
   * Difference of the signed errors, in [-1, 1]: what the test looks at. Differences of ECE itself carry two biases.
   */
  readonly difference: number;
  /** Total: over new data sets, refits and splits. */
  readonly standardError: number;
  readonly low: number;
  readonly high: number;
  /** Two-sided, in [0, 1]. */
  readonly pValue: number;
}

/** Two fits of one objective can end this far apart by rounding; no smaller difference counts as one. */
const ROUNDING = 1e-9;

/**
 * Test that two methods have the same ECE, studentised (Davison and Hinkley 1997, Sec. 4.4) by a nested bootstrap with
 * refit. ECE = sum_b P(b) |g_b| is not smooth where a gap is 0, and its resamples are wrong there; with the signs of
 * the likely gaps in place of the absolute values, sum_b P(b) s_b g_b, it is a mean, has no bias of finite bins, and
 * resampling is right. Which sign a bin has is not sure, so the variance is the mean of two: with the sign of each bin,
 * and with that of the mean over-confidence for all bins. B resamples know it only so well: the law is Student's (1908)
 * with B - 1 degrees of freedom. Size and power, measured: bench/inference/README.md.
 *
 * @param measured the mean over the splits of `signedError`, of a and of b
 */
export function pairedDifference(
  a: NestedResamples,
  b: NestedResamples,
  measured: readonly [number, number],
): PairedDifference {
  const difference = measured[0] - measured[1];
  const standardError = pairedError(a, b);
  const freedom = Math.max(1, a.signedMeans.length - 1);
  const pValue = Math.abs(difference) <= ROUNDING ? 1 : studentP(difference / standardError, freedom);
  const reach = studentQuantile(0.975, freedom) * standardError;
  return {
    difference,
    standardError,
    low: difference - reach,
    high: difference + reach,
    pValue,
  };
}

/** The standard error of `pairedDifference` (Efron 1979); at least a rounding. */
export function pairedError(a: NestedResamples, b: NestedResamples): number {
  const [signA, signB] = [a.overconfidence < 0 ? -1 : 1, b.overconfidence < 0 ? -1 : 1];
  const byBin = varianceOf(a.signedMeans, b.signedMeans, [1, 1]);
  const overall = varianceOf(a.overconfidences, b.overconfidences, [signA, signB]);
  return Math.max(ROUNDING, Math.sqrt((byBin + overall) / 2));
}

/**
 * Mean of sign_n (conf_n - right_n) over the examples of one split: Eq. (ece) where the signs of the gaps are known; in
 * [-1, 1].
 */
export function signedError(
  signs: ArrayLike<number>,
  confidences: ArrayLike<number>,
  correct: ArrayLike<number>,
): number {
  let sum = 0;
  for (let n = 0; n < signs.length; n++) sum += (signs[n] ?? 0) * ((confidences[n] ?? 0) - (correct[n] ?? 0));
  return sum / signs.length;
}

/** Variance of x a - y b over the resamples that have both. */
function varianceOf(a: Float64Array, b: Float64Array, [x, y]: readonly [number, number]): number {
  let [count, sum, squares] = [0, 0, 0];
  for (let r = 0; r < a.length; r++) {
    const value = x * (a[r] ?? 0) - y * (b[r] ?? 0);
    if (Number.isNaN(value)) continue;
    count++;
    sum += value;
    squares += value * value;
  }
  return count < 2 ? 0 : Math.max(0, squares - (sum * sum) / count) / (count - 1);
}
