import { CompensatedSum, compensatedSum } from './compensated-sum.js';

/** Arithmetic mean; null for no values. */
export function mean(values: ArrayLike<number>): number | null {
  return values.length === 0 ? null : compensatedSum(values) / values.length;
}

/** Sample standard deviation (divisor n - 1); null for fewer than two values. */
export function sampleStandardDeviation(values: ArrayLike<number>): number | null {
  const center = mean(values);
  if (center === null || values.length < 2) return null;
  const squares = new CompensatedSum();
  for (let i = 0; i < values.length; i++) squares.add((values[i]! - center) ** 2);
  return Math.sqrt(squares.value / (values.length - 1));
}

/**
 * Standard error of the mean over seeds (Sec. experiments): sample standard deviation / sqrt(n); null for fewer than
 * two values.
 */
export function standardError(values: ArrayLike<number>): number | null {
  const deviation = sampleStandardDeviation(values);
  return deviation === null ? null : deviation / Math.sqrt(values.length);
}
