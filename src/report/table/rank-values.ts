export type Rank = 'best' | 'second' | null;

/** Two fits of one objective can end this far apart by rounding, whatever the unit; no smaller difference is one. */
const ROUNDING = 1e-9;

/**
 * Lowest value `best`, next higher one `second`, on unrounded numbers; equal values share a rank, null has none. Where
 * all of several values are equal, none is better than another and none has a rank.
 */
export function rankValues(values: ReadonlyArray<number | null>): Rank[] {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  const best = known[0];
  if (best === undefined) return values.map(() => null);
  const second = known.find((value) => value > best + ROUNDING);
  if (second === undefined && known.length > 1) return values.map(() => null);
  return values.map((value) => {
    if (value === null) return null;
    if (value <= best + ROUNDING) return 'best';
    return second !== undefined && value <= second + ROUNDING ? 'second' : null;
  });
}
