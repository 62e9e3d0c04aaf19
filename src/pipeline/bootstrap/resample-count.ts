/** Resamples where the user names no number and the data set is not large. */
const DEFAULT_RESAMPLES = 500;
/**
 * Fewer than this say little about a standard error: 40 know it to 11 %. The paired test keeps its size from 20 on,
 * since its law is Student's (bench/inference/README.md); more make p-values finer and steadier.
 */
const FEWEST_RESAMPLES = 40;
/**
 * Examples that the bootstrap of one data set may refit and measure without being asked for: about a sixth of a second.
 */
const MOST_EXAMPLES = 1.5e7;

/**
 * Nested resamples of one data set. `auto` is 500, fewer where 500 would take long, and 0 where fewer than 40 would
 * remain; a number is taken as it is.
 *
 * @param examples examples x seeds x methods x targets, about: what one resample costs
 */
export function resampleCount(asked: number | 'auto', examples: number): number {
  if (asked !== 'auto') return asked;
  const affordable = Math.min(DEFAULT_RESAMPLES, Math.floor(MOST_EXAMPLES / Math.max(1, examples)));
  return affordable < FEWEST_RESAMPLES ? 0 : affordable;
}

/** Resamples of the bins of reliability diagrams where the user names no number. */
export const BIN_RESAMPLES = 200;
/** Additions that they may take without being asked for: about a tenth of a second. */
const MOST_BIN_ADDITIONS = 5e7;

/**
 * Resamples of the accuracies of reliability bins. `auto` is 200, or 0 where they would take long; a number is taken as
 * it is.
 *
 * @param additions examples x diagrams: what one resample costs at most
 */
export function binResampleCount(asked: number | 'auto', additions: number): number {
  if (asked !== 'auto') return asked;
  return BIN_RESAMPLES * additions <= MOST_BIN_ADDITIONS ? BIN_RESAMPLES : 0;
}
