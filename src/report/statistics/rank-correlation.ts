/** Ranks from 1 at the lowest value; equal values share the middle of theirs, and what has no value has no rank. */
export function midranks(values: ReadonlyArray<number | null>): (number | null)[] {
  const known = values.filter((value) => value !== null);
  return values.map((value) => {
    if (value === null) return null;
    const below = known.filter((other) => other < value).length;
    const same = known.filter((other) => other === value).length;
    return below + (same + 1) / 2;
  });
}

/**
 * Kendall's (1945) tau-b of two rankings, over the items that both rank: (concordant - discordant pairs) / sqrt(pairs
 * untied in a x pairs untied in b), in [-1, 1]; null where one of them is all ties.
 */
export function rankCorrelation(a: ReadonlyArray<number | null>, b: ReadonlyArray<number | null>): number | null {
  const both = a.flatMap((x, i) => {
    const y = b[i] ?? null;
    return x === null || y === null ? [] : [{ x, y }];
  });
  let [agreement, inA, inB] = [0, 0, 0];
  for (const [i, one] of both.entries())
    for (const other of both.slice(0, i)) {
      const [x, y] = [Math.sign(one.x - other.x), Math.sign(one.y - other.y)];
      agreement += x * y;
      inA += Math.abs(x);
      inB += Math.abs(y);
    }
  return inA === 0 || inB === 0 ? null : agreement / Math.sqrt(inA * inB);
}
