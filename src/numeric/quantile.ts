/**
 * Quantile of ascending numbers for a share in [0, 1], linear between order statistics (numpy's default; type 7 of
 * Hyndman and Fan 1996).
 */
export function quantile(ascending: ArrayLike<number>, share: number): number {
  const at = share * (ascending.length - 1);
  const below = Math.floor(at);
  const above = Math.min(below + 1, ascending.length - 1);
  const low = ascending[below]!;
  return low + (at - below) * (ascending[above]! - low);
}

/**
 * Median (type 7 of Hyndman and Fan 1996): the middle value, or the mean of the two middle ones; null for no values.
 */
export function median(values: ArrayLike<number>): number | null {
  const { length } = values;
  if (length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  return (sorted[(length - 1) >> 1]! + sorted[length >> 1]!) / 2;
}
