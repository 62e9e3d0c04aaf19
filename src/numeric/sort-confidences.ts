const MOST_BUCKETS = 1 << 17;
/** Fewer numbers than this are sorted as they are. */
const LEAST_COUNT = 1 << 10;
const INSERTION = 24;

/**
 * Numbers in [0, 1] in ascending order, written to the front of `into`; returned is that part. Put into as many equal
 * buckets as there are numbers, 131,072 at most, and sorted inside each: twice as fast as a comparison sort of the
 * whole for a few thousand, several times for a million, and not much slower than one when all fall into one bucket.
 */
export function sortConfidences(
  values: Float64Array,
  into: Float64Array = new Float64Array(values.length),
): Float64Array {
  const sorted = into.subarray(0, values.length);
  if (values.length < LEAST_COUNT) {
    sorted.set(values);
    return sorted.sort();
  }
  const buckets = Math.min(MOST_BUCKETS, 2 ** Math.ceil(Math.log2(values.length)));
  const starts = new Int32Array(buckets + 2);
  for (let n = 0; n < values.length; n++) starts[bucketOf(values[n]!, buckets) + 2]!++;
  for (let b = 2; b < starts.length; b++) starts[b]! += starts[b - 1]!;
  // starts[b + 1] moves from the beginning of bucket b to its end.
  for (let n = 0; n < values.length; n++) {
    const value = values[n]!;
    sorted[starts[bucketOf(value, buckets) + 1]!++] = value;
  }
  for (let b = 0; b < buckets; b++) {
    const start = starts[b]!;
    const end = starts[b + 1]!;
    if (end - start > INSERTION) sorted.subarray(start, end).sort();
    else if (end - start > 1) insertionSort(sorted, start, end);
  }
  return sorted;
}

function bucketOf(value: number, buckets: number): number {
  return Math.min(Math.floor(value * buckets), buckets - 1);
}

function insertionSort(values: Float64Array, start: number, end: number): void {
  for (let i = start + 1; i < end; i++) {
    const value = values[i]!;
    let j = i - 1;
    while (j >= start && values[j]! > value) {
      values[j + 1] = values[j]!;
      j--;
    }
    values[j + 1] = value;
  }
}
