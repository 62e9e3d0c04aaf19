import type { RaggedRows } from '../numeric/ragged-rows.js';
import type { Scratch } from '../numeric/scratch.js';

/**
 * ln p - ln(1 - p) of the confidence p of row n at q = softmax(beta z), Eq. (ece): -ln sum over the other options of
 * exp(beta (z_k - z_top)), finite where p itself rounds to 1. Infinity where every other option has probability 0.
 *
 * @param top the predicted option
 * @param inverseTemperature beta; at 0 the odds are 1 to K - 1
 */
export function logOddsOfRow(
  { offsets, values }: RaggedRows,
  n: number,
  top: number,
  inverseTemperature: number,
): number {
  const [start, end] = [offsets[n] ?? 0, offsets[n + 1] ?? 0];
  if (inverseTemperature === 0) return -Math.log(end - start - 1);
  const max = values[start + top] ?? 0;
  let second = Number.NEGATIVE_INFINITY;
  for (let k = start; k < end; k++) if (k !== start + top) second = Math.max(second, (values[k] ?? 0) - max);
  if (second === Number.NEGATIVE_INFINITY) return Number.POSITIVE_INFINITY;
  if (masses.length < end - start) masses = new Float64Array(end - start);
  let count = 0;
  for (let k = start; k < end; k++)
    if (k !== start + top) insert(Math.exp(inverseTemperature * (values[k]! - max - second)), count++);
  // In ascending order: the same logits in another order are the same odds to the last bit.
  let total = 0;
  for (let i = 0; i < count; i++) total += masses[i]!;
  return -(inverseTemperature * second + Math.log(total));
}

/** The masses of the row in hand: a new list for each of a million rows would cost more than their sum. */
let masses = new Float64Array(8);

/** Puts a mass among the first `count`, which ascend. */
function insert(mass: number, count: number): void {
  let at = count;
  for (; at > 0 && masses[at - 1]! > mass; at--) masses[at] = masses[at - 1]!;
  masses[at] = mass;
}

/** Confidences above this are ranked by their log odds, which do not round to one number where they are near 1. */
const SURE = 1 - 2 ** -20;

/**
 * What AUROC (Hanley and McNeil 1982) and AURC rank N predictions by: their confidence and, where that is near 1, its
 * log odds, which are above all confidences. null where no confidence is near 1: the confidences themselves rank.
 */
export function rankKeys(
  rows: RaggedRows,
  predictions: Int32Array,
  { confidences, inverseTemperature }: { readonly confidences: Float64Array; readonly inverseTemperature: number },
  scratch: Scratch,
): Float64Array | null {
  const first = firstSure(confidences, rows.rowCount);
  if (first === rows.rowCount) return null;
  const keys = scratch.float64('rank keys', rows.rowCount);
  keys.set(confidences.subarray(0, rows.rowCount));
  for (let n = first; n < rows.rowCount; n++)
    if (confidences[n]! > SURE) keys[n] = logOddsOfRow(rows, n, predictions[n]!, inverseTemperature);
  return keys;
}

/** The first row whose confidence is near 1; `rowCount` when none is. */
function firstSure(confidences: Float64Array, rowCount: number): number {
  let n = 0;
  while (n < rowCount && !(confidences[n]! > SURE)) n++;
  return n;
}
