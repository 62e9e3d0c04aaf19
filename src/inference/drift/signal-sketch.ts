/** A sample of one number per question, small enough to be kept: all of it, or quantiles of it. */
export interface SignalSketch {
  /** Numbers behind it. */
  readonly rows: number;
  /** Ascending; 512 quantiles where there were more numbers. */
  readonly values: readonly number[];
}

/** So many quantiles stand for a longer sample: a distribution function that they give is off by 1/512 at most. */
const MOST_VALUES = 512;

/**
 * The order statistics of a sample, or 512 of its quantiles at (i + 1/2) / 512 (Hazen 1914), rounded as
 * `roundedSignal`. NaN stands for "not known" and is left out.
 *
 * @returns null where no number is known
 */
export function signalSketch(values: Float64Array): SignalSketch | null {
  const known = values.filter((value) => !Number.isNaN(value)).sort();
  const rows = known.length;
  if (rows === 0) return null;
  const length = Math.min(rows, MOST_VALUES);
  const at = (i: number) => known[Math.min(rows - 1, Math.floor(((i + 0.5) * rows) / length))] ?? Number.NaN;
  return { rows, values: Array.from({ length }, (_, i) => roundedSignal(at(i))) };
}

/** Six significant digits, so that a number which was written down and read again is the same (IEEE 754 of 2019). */
export function roundedSignal(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(6)) : value;
}
