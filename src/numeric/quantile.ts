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

/**
 * Position (0-based) of the first of ascending numbers that is not below `least`, by halving (Knuth 1998, 6.2.1); their
 * length where all are below.
 */
export function firstFrom(ascending: ArrayLike<number>, least: number): number {
  let [first, last] = [0, ascending.length];
  while (first < last) {
    const middle = (first + last) >> 1;
    if (ascending[middle]! < least) first = middle + 1;
    else last = middle;
  }
  return first;
}
