/** Rows of an entry that stand side by side in its order: what one run holds while others score the rest. */
export interface RowRange {
  readonly index: number;
  /** First row. */
  readonly from: number;
  /** The row after the last one. */
  readonly to: number;
}

/**
 * Runs take many ranges at a time, and whoever takes the last one is waited for: small ones end together. A smaller one
 * would be less than a batch.
 */
const FEWEST_ROWS = 16;
/** More ranges would only be more locks to look at. */
const MOST_RANGES = 128;

/**
 * The ranges of an entry. They follow from the number of its rows alone, so that all runs on all hosts agree on them
 * without a word: 16 rows each, or more where that would give more than 128 ranges.
 */
export function rowRanges(rowCount: number): readonly RowRange[] {
  const size = Math.max(FEWEST_ROWS, Math.ceil(rowCount / MOST_RANGES));
  const count = Math.ceil(rowCount / size);
  return Array.from({ length: count }, (_, index) => ({
    index,
    from: index * size,
    to: Math.min(rowCount, (index + 1) * size),
  }));
}
