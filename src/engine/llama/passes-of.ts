/**
 * Divides what is evaluated next among passes of at most `batchSize` tokens, each filled up to the longest of its rows:
 * as few passes as there can be, with equally many rows each, since one row alone would take other kernels than
 * several. One pass keeps the order; of several the longest rows come first, so that rows of like length meet.
 */
export function passesOf<Row>(rows: readonly Row[], lengthOf: (row: Row) => number, batchSize: number): Row[][] {
  const longest = Math.max(1, ...rows.map(lengthOf));
  const count = Math.ceil(rows.length / Math.max(1, Math.floor(batchSize / longest)));
  if (count <= 1) return [[...rows]];
  const ordered = rows.toSorted((a, b) => lengthOf(b) - lengthOf(a));
  const border = (pass: number) => Math.floor((pass * rows.length) / count);
  return Array.from({ length: count }, (_, pass) => ordered.slice(border(pass), border(pass + 1)));
}
