import type { RaggedRows } from './ragged-rows.js';

/**
 * Position of the largest of values[start .. end - 1] (yhat of Sec. preliminaries), counted from `start`; equal values
 * give the lowest position.
 */
export function argmax(values: ArrayLike<number>, start = 0, end = values.length): number {
  let best = start;
  for (let i = start + 1; i < end; i++) if (values[i]! > values[best]!) best = i;
  return best - start;
}

/** `argmax` (yhat of Sec. preliminaries) of row n. */
export function argmaxOfRow({ values, offsets }: RaggedRows, n: number): number {
  return argmax(values, offsets[n], offsets[n + 1]);
}

/**
 * True when yhat of Sec. preliminaries is not unique: the largest of values[start .. end - 1] occurs more than once.
 */
export function hasTiedMaximum(values: ArrayLike<number>, start = 0, end = values.length): boolean {
  const best = start + argmax(values, start, end);
  for (let i = best + 1; i < end; i++) if (values[i] === values[best]) return true;
  return false;
}
