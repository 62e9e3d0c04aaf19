/** Rows of a block. */
export const BLOCK = 256;

/**
 * Walks 0 .. count - 1 in blocks of a few hundred. A single loop over a million rows is compiled while it runs, and V8
 * then keeps its sums as objects, one more for every row; a function that is called per block is compiled as a whole.
 */
export function inBlocks(count: number, walk: (start: number, end: number) => void): void {
  for (let start = 0; start < count; start += BLOCK) walk(start, Math.min(start + BLOCK, count));
}
