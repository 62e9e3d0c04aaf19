import { z } from 'zod';

/*
 * The bounds are far beyond what any run writes, rounding included. They are there for files that came from elsewhere:
 * a number beyond them has no place on an axis or in a table, so the field is named when the file is read.
 */

export const numberOrNull = z.number().nullable();

/** A field that files of an earlier minor version do not have. */
export const addedNumber = numberOrNull.default(null);

/** Examples, targets, resamples, tokens: whatever is counted. */
export const count = z.int().min(0).max(1e12);

/** Models in a combination; null: the method has none. */
export const combinationSizeOrNull = z.int().min(1).max(1e6).nullable();

/** Probabilities and what is made of them: shares, errors in [0, 1], differences and scores in [-2, 2]. */
export const fraction = z.number().min(-10).max(10);
export const fractionOrNull = fraction.nullable();
export const addedFraction = fractionOrNull.default(null);

/** A sum of float64 shares is 0 or above their rounding; what is nearer to 0 leaves an axis without a length. */
const ZERO_OR_ORDINARY = [
  (value: number) => value === 0 || Math.abs(value) >= 1e-100,
  { error: 'expected 0 or a number of ordinary size' },
] as const;

/** ECE of a point of a curve, or its spread. */
export const eceOrNull = z
  .number()
  .min(0)
  .max(10)
  .refine(...ZERO_OR_ORDINARY)
  .nullable();

/** Percentage points: errors, differences of them and ends of their intervals. */
export const points = z
  .number()
  .min(-1000)
  .max(1000)
  .refine(...ZERO_OR_ORDINARY);
export const pointsOrNull = points.nullable();
export const addedPoints = pointsOrNull.default(null);

/** A spread of percentage points. */
export const spreadOrNull = z
  .number()
  .min(0)
  .max(1000)
  .refine(...ZERO_OR_ORDINARY)
  .nullable();
export const addedSpread = spreadOrNull.default(null);
