/** Median (type 7 of Hyndman and Fan 1996): the middle value, or the mean of the two middle ones; null for no values. */
export function median(values: ArrayLike<number>): number | null {
  const { length } = values;
  if (length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  return (sorted[(length - 1) >> 1]! + sorted[length >> 1]!) / 2;
}
