import { sortConfidences } from '../../numeric/sort-confidences.js';

/** A threshold by what confidences say of themselves. */
export interface EstimatedThreshold {
  /** The least confidence that is answered. */
  readonly threshold: number;
  /** Share of questions that are answered. */
  readonly coverage: number;
  /** Mean of 1 - confidence among them: the rate of errors, if the confidences are calibrated. */
  readonly risk: number;
}

/**
 * The lowest threshold at which the mean of 1 - confidence of the answered is at most `maxErrors`. The rate of wrong
 * answers above it (selective risk, Geifman and El-Yaniv 2017) is that where the confidences are calibrated, Eq. (ece)
 * of 0; nothing is guaranteed. No label is read.
 *
 * @param confidences of N examples, labelled or not
 * @returns one for each of `maxErrors`; null where even the surest answer has more doubt
 */
export function estimatedThresholds(
  confidences: Float64Array,
  maxErrors: readonly number[],
): (EstimatedThreshold | null)[] {
  const ascending = sortConfidences(confidences);
  const count = ascending.length;
  // Where the answers that are lastly found begin; count: nowhere.
  const begins = new Int32Array(maxErrors.length).fill(count);
  const risks = new Float64Array(maxErrors.length);
  let doubt = 0;
  for (let i = count - 1; i >= 0; i--) {
    const threshold = ascending[i] ?? Number.NaN;
    doubt += 1 - threshold;
    // Examples of equal confidence are answered together.
    if (i > 0 && ascending[i - 1] === threshold) continue;
    const risk = doubt / (count - i);
    for (let e = 0; e < maxErrors.length; e++) {
      if (!(risk <= maxErrors[e]!)) continue;
      begins[e] = i;
      risks[e] = risk;
    }
  }
  return maxErrors.map((_, e) => {
    const begin = begins[e] ?? count;
    if (begin === count) return null;
    return { threshold: ascending[begin] ?? Number.NaN, coverage: (count - begin) / count, risk: risks[e] ?? 0 };
  });
}
