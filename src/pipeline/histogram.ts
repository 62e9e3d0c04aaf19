import type { Histogram } from '../report/diagnostics-schema.js';

/** Counts of values in equal bins from `start`; a bin owns its left edge, the last one its right edge too. */
export function histogram(
  values: Float64Array,
  { start, width, bins }: { readonly start: number; readonly width: number; readonly bins: number },
): Histogram {
  const counts = new Array<number>(bins).fill(0);
  for (const value of values) {
    const bin = Math.min(bins - 1, Math.max(0, Math.floor((value - start) / width)));
    counts[bin]!++;
  }
  return { start, width, counts };
}

/** The least of 1, 2 and 5 times a power of ten that is not below `least` (above 0). */
export function roundWidth(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((step) => step * power).find((width) => width >= least * (1 - 1e-12))!;
}
