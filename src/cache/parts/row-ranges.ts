/** Rows of an entry that stand side by side in its order: what one run holds while others score the rest. */
export interface RowRange {
  readonly index: number;
  /** First row. */
  readonly from: number;
  /** The row after the last one. */
  readonly to: number;
}

/** A smaller range would be mostly the load of a model, or one half-filled batch of a GPU. */
const FEWEST_ROWS = 64;
/** More ranges would only be more locks to look at. */
const MOST_RANGES = 64;

/**
 * The ranges of an entry. They follow from the number of its rows alone, so that all runs on all hosts agree on them
 * without a word: 64 rows each, or more where that would give more than 64 ranges.
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
