/** A pass of so many tokens takes as long as any larger one for each of them. */
const FULL_PASS = 256;
/** So much of the tokens of a row in a pass may be filler: more than that, company costs more than it saves. */
const FILLER = 1 / 32;

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

/**
 * Divides prompts, which keep their order, into passes: as many neighbours of like length as `sequences` and a full
 * pass hold, each filled up to the longest of them. A long prompt has a pass of its own.
 */
export function shortTogether<Row>(rows: readonly Row[], lengthOf: (row: Row) => number, sequences: number): Row[][] {
  const passes: Row[][] = [];
  let [shortest, longest] = [0, 0];
  for (const row of rows) {
    const pass = passes.at(-1);
    const length = lengthOf(row);
    const [least, most] = [Math.min(shortest, length), Math.max(longest, length)];
    const fits = pass !== undefined && pass.length < sequences && most * (pass.length + 1) <= FULL_PASS;
    if (fits && most - least <= FILLER * most) {
      pass.push(row);
      [shortest, longest] = [least, most];
    } else {
      passes.push([row]);
      [shortest, longest] = [length, length];
    }
  }
  return passes;
}
