/**
 * Those of the indexes whose label is not -1, in their order: the examples that Eq. (ece) and a fit on labels count.
 * They are the front of `into`, which has room for all.
 */
export function labelledOf(
  indexes: Int32Array,
  labels: Int32Array,
  into: Int32Array = new Int32Array(indexes.length),
): Int32Array {
  let count = 0;
  for (const n of indexes) if (labels[n] !== -1) into[count++] = n;
  return into.subarray(0, count);
}
