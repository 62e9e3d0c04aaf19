import type { NestedResamples } from './nested-bootstrap.js';

/** Signed errors of one split, in [-1, 1]. */
export interface SplitErrors {
  /** Mean of sign_n (conf_n - right_n), the sign being that of the example's bin. */
  readonly binwise: number;
  /** Mean of conf_n - right_n. */
  readonly overall: number;
}

/** The error of one method with known signs in place of absolute values, as measured and in every resample. */
export interface SignedErrors {
  /** With the likely sign of each bin's gap; the mean over the splits. */
  readonly binwise: number;
  readonly binwiseDraws: Float64Array;
  /** With one sign for all bins, that of the measured over-confidence: at least 0. */
  readonly overall: number;
  readonly overallDraws: Float64Array;
}

/**
 * The two readings of the error of a method: sum_b P(b) |g_b| is sum_b P(b) s_b g_b where the signs of the gaps are
 * known, and |mean confidence - accuracy| where all are alike. Both are means, so that resampling (Efron 1979) is right
 * for them where it is not for absolute values.
 *
 * @param splits the errors of every split as measured
 */
export function signedErrors(
  { signedMeans, overconfidences }: Pick<NestedResamples, 'signedMeans' | 'overconfidences'>,
  splits: readonly SplitErrors[],
): SignedErrors {
  const meanOf = (of: (split: SplitErrors) => number) =>
    splits.reduce((sum, split) => sum + of(split), 0) / splits.length;
  const overall = meanOf((split) => split.overall);
  const sign = overall < 0 ? -1 : 1;
  return {
    binwise: meanOf(({ binwise }) => binwise),
    binwiseDraws: signedMeans,
    overall: sign * overall,
    overallDraws: overconfidences.map((value) => sign * value),
  };
}

/** Errors of the examples of one split by Eq. (ece) with the signs of the gaps in place of absolute values. */
export function splitErrors(
  signs: ArrayLike<number>,
  confidences: ArrayLike<number>,
  correct: ArrayLike<number>,
): SplitErrors {
  let [binwise, overall] = [0, 0];
  for (let n = 0; n < signs.length; n++) {
    const gap = (confidences[n] ?? 0) - (correct[n] ?? 0);
    binwise += (signs[n] ?? 0) * gap;
    overall += gap;
  }
  return { binwise: binwise / signs.length, overall: overall / signs.length };
}
