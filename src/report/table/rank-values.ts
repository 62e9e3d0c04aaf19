export type Rank = 'best' | 'second' | null;

/** Lowest value `best`, next higher one `second`, on unrounded numbers; equal values share a rank, null has none. */
export function rankValues(values: ReadonlyArray<number | null>): Rank[] {
  const distinct = [...new Set(values.filter((value) => value !== null))].sort((a, b) => a - b);
  return values.map((value) => {
    if (value === null) return null;
    if (value === distinct[0]) return 'best';
    return value === distinct[1] ? 'second' : null;
  });
}
