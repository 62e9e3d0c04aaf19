import { Scratch } from './scratch.js';
import { sharedArray } from './shared-array.js';

/**
 * N rows of different lengths in one flat float64 array: row n holds values[offsets[n]] .. values[offsets[n + 1] - 1].
 * Option logits live in this shape throughout, since the number of options K may differ per example.
 */
export interface RaggedRows {
  readonly rowCount: number;
  /** N + 1 ascending offsets; offsets[0] is 0. */
  readonly offsets: Int32Array;
  readonly values: Float64Array;
}

/** Packs rows (each K_n numbers) into one flat array. */
export function raggedRows(rows: ReadonlyArray<ArrayLike<number>>): RaggedRows {
  const offsets = new Int32Array(rows.length + 1);
  let total = 0;
  for (const [n, row] of rows.entries()) {
    total += row.length;
    offsets[n + 1] = total;
  }
  const values = new Float64Array(total);
  let at = 0;
  for (const row of rows) {
    values.set(row, at);
    at += row.length;
  }
  return { rowCount: rows.length, offsets, values };
}

/** How many numbers row n has: its options K. */
export function rowLength({ offsets }: RaggedRows, n: number): number {
  return offsets[n + 1]! - offsets[n]!;
}

/** The largest K of all rows. */
export function longestRow(rows: RaggedRows): number {
  let longest = 0;
  for (let n = 0; n < rows.rowCount; n++) longest = Math.max(longest, rowLength(rows, n));
  return longest;
}

/** A view of row n; no copy. */
export function rowOf(rows: RaggedRows, n: number): Float64Array {
  return rows.values.subarray(rows.offsets[n]!, rows.offsets[n + 1]!);
}

/** The rows at the given indexes, in that order, as a new block, or in the scratch's arrays of that name. */
export function takeRows(
  rows: RaggedRows,
  indexes: ArrayLike<number>,
  scratch: Scratch = new Scratch(),
  name = '',
): RaggedRows {
  const offsets = scratch.int32(`${name} offsets`, indexes.length + 1);
  offsets[0] = 0;
  let total = 0;
  for (let i = 0; i < indexes.length; i++) {
    total += rowLength(rows, indexes[i]!);
    offsets[i + 1] = total;
  }
  const values = scratch.float64(`${name} values`, total);
  let to = 0;
  for (let i = 0; i < indexes.length; i++) {
    const n = indexes[i]!;
    const end = rows.offsets[n + 1]!;
    for (let from = rows.offsets[n]!; from < end; from++) values[to++] = rows.values[from]!;
  }
  return { rowCount: indexes.length, offsets, values };
}

/** True when both blocks have the same number of rows and the same K in every row. */
export function sameShape(a: RaggedRows, b: RaggedRows): boolean {
  if (a.rowCount !== b.rowCount) return false;
  if (a.offsets === b.offsets) return true;
  for (let n = 0; n <= a.rowCount; n++) if (a.offsets[n] !== b.offsets[n]) return false;
  return true;
}

/** The rows in memory that threads share, copied once: the logits of a base are those of several targets. */
export function sharedRows(rows: RaggedRows): RaggedRows {
  const known = sharedCopies.get(rows);
  if (known !== undefined) return known;
  const { rowCount, offsets, values } = rows;
  const copy = { rowCount, offsets: sharedArray(offsets), values: sharedArray(values) };
  sharedCopies.set(rows, copy);
  return copy;
}

const sharedCopies = new WeakMap<RaggedRows, RaggedRows>();
