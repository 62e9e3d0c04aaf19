import type { BinTally } from './bins/bin-tally.js';

/**
 * Classwise calibration error in [0, 1]: Eq. (ece) of the probability of option k as a score for "the label is k", over
 * the examples that have an option k, averaged over all k that some example has. With the same K everywhere this is
 * the usual mean over K classes. tallies[k] holds option k; an option that is never the label counts like any other.
 */
export function classwiseEce(tallies: readonly BinTally[]): number {
  return tallies.reduce((sum, tally) => sum + tally.expectedError, 0) / tallies.length;
}
