import { inBlocks } from './in-blocks.js';

/** Fewer numbers than this are sorted as they are. */
const LEAST_COUNT = 1 << 10;
const INSERTION = 24;
/** A number's place among 2^22 equal parts of [0, 1], looked at in two digits of 11 bits. */
const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
const PARTS = DIGITS * DIGITS;

/**
 * Numbers in [0, 1] in ascending order, written to the front of `into`; returned is that part. Put in order of their
 * parts of [0, 1] digit by digit, the last one first, and sorted inside each part: several times faster than a
 * comparison sort for a million, and not much slower than one when all fall into one part.
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
  if (room.length < values.length) room = new Float64Array(values.length);
  const between = room.subarray(0, values.length);
  const [low, high] = [new Int32Array(DIGITS + 1), new Int32Array(DIGITS + 1)];
  inBlocks(values.length, (first, last) => countDigits(values.subarray(first, last), low, high));
  for (let digit = 1; digit <= DIGITS; digit++) {
    low[digit]! += low[digit - 1]!;
    high[digit]! += high[digit - 1]!;
  }
  inBlocks(values.length, (first, last) => placeByLow(values.subarray(first, last), low, between));
  inBlocks(values.length, (first, last) => placeByHigh(between.subarray(first, last), high, sorted));
  sortInsideParts(sorted);
  return sorted;
}

/** Used again: fresh memory for every sort of a million numbers would take as long as the sort. */
let room = new Float64Array();

function partOf(value: number): number {
  const part = (value * PARTS) | 0;
  return part < PARTS ? part : PARTS - 1;
}

/** How many numbers have each digit, one place further up. */
function countDigits(values: Float64Array, low: Int32Array, high: Int32Array): void {
  for (let n = 0; n < values.length; n++) {
    const part = partOf(values[n]!);
    low[(part & (DIGITS - 1)) + 1]!++;
    high[(part >> DIGIT_BITS) + 1]!++;
  }
}

/** `starts` are moved from the beginning of each digit to its end. */
function placeByLow(values: Float64Array, starts: Int32Array, into: Float64Array): void {
  for (let n = 0; n < values.length; n++) {
    const value = values[n]!;
    into[starts[partOf(value) & (DIGITS - 1)]!++] = value;
  }
}

function placeByHigh(values: Float64Array, starts: Int32Array, into: Float64Array): void {
  for (let n = 0; n < values.length; n++) {
    const value = values[n]!;
    into[starts[partOf(value) >> DIGIT_BITS]!++] = value;
  }
}

/** Sorts numbers whose parts are in order already: a number goes back inside its part at most. */
function sortInsideParts(values: Float64Array): void {
  for (let n = 1; n < values.length; n++) {
    const value = values[n]!;
    if (values[n - 1]! <= value) continue;
    const moved = insert(values, n, value);
    if (moved) continue;
    // Many numbers in one part: all of it at once.
    const part = partOf(value);
    let [start, end] = [n, n];
    while (start > 0 && partOf(values[start - 1]!) === part) start--;
    while (end < values.length && partOf(values[end]!) === part) end++;
    values.subarray(start, end).sort();
    n = end - 1;
  }
}

/** Moves values[n] back to its place; false: that is too far away, and nothing is moved. */
function insert(values: Float64Array, n: number, value: number): boolean {
  const least = Math.max(0, n - INSERTION);
  let to = n - 1;
  while (to > least && values[to - 1]! > value) to--;
  if (to > 0 && to === least && values[to - 1]! > value) return false;
  for (let at = n; at > to; at--) values[at] = values[at - 1]!;
  values[to] = value;
  return true;
}
