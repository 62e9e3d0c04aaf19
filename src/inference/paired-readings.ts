import type { SignedErrors } from './signed-errors.js';

/** Two fits of one objective can end this far apart by rounding; no smaller difference counts as one. */
const ROUNDING = 1e-9;

/** One statistic: its value as measured, its standard error, and its value in every resample. */
export interface Reading {
  readonly value: number;
  readonly error: number;
  readonly draws: Float64Array;
}

/** What two methods' signed errors say of the difference of their ECE, with one choice of the signs of bins. */
export interface PairedReadings {
  /** Error of a less that of b: 0 in the mean where both are equal and have the signs that were found. */
  readonly difference: Reading;
  /** Error of a plus that of b: 0 in the mean where both are equal and one has the other sign. */
  readonly sum: Reading;
  readonly correlation: number;
  /** How clear the less clear sign is: the lesser of the two errors in units of their own standard errors. */
  readonly clearness: number;
}

/** Standard errors: up to the first, as in nine of ten data sets of one sign, gaps of both signs count as noise. */
const [NOISE, CLEAR] = [1.5, 3];

/**
 * Signed errors x and y of two methods on the same resamples: |x| = |y| is x = y or x = -y, a union of hypotheses
 * (Berger 1982). They have one sign for all bins of a method, that of its mean over-confidence, or, where the bins of
 * one of the two clearly have gaps of both signs, a sign for each bin. Where that is not clear both count: what is told
 * must hold with either. The choice is one for both methods, so that nearly equal ones are not told apart by it.
 */
export function pairedReadings(a: SignedErrors, b: SignedErrors): readonly [PairedReadings, ...PairedReadings[]] {
  const change = Math.max(signChange(a), signChange(b));
  const [one, each] = [readings(oneSign(a), oneSign(b)), readings(byBin(a), byBin(b))];
  if (change <= NOISE) return [one];
  return change >= CLEAR ? [each] : [one, each];
}

/**
 * The reading that is nearest to 0 in units of its error. The likelihood-ratio test that one of several means is 0
 * (Berger 1982) looks at it alone.
 */
export function lesserReading(all: readonly [PairedReadings, ...PairedReadings[]]): Reading {
  const readings = all.flatMap(({ difference, sum }) => [difference, sum]);
  const sizeOf = ({ value, error }: Reading) => Math.abs(value) / error;
  return readings.reduce((least, each) => (sizeOf(each) < sizeOf(least) ? each : least));
}

type SignedError = Pick<Reading, 'value' | 'draws'>;

function oneSign({ overall, overallDraws }: SignedErrors): SignedError {
  return { value: overall, draws: overallDraws };
}

function byBin({ binwise, binwiseDraws }: SignedErrors): SignedError {
  return { value: binwise, draws: binwiseDraws };
}

function readings(x: SignedError, y: SignedError): PairedReadings {
  const difference = combined(x, y, -1);
  const sum = combined(x, y, 1);
  const correlation = covariance(difference.draws, sum.draws) / (difference.error * sum.error);
  const clearness = Math.min(...[x, y].map(({ value, draws }) => Math.abs(value) / errorOf(draws)));
  return { difference, sum, correlation: Math.min(1, Math.abs(correlation)), clearness };
}

function combined(x: Pick<Reading, 'value' | 'draws'>, y: Pick<Reading, 'value' | 'draws'>, sign: 1 | -1): Reading {
  const value = x.value + sign * y.value;
  const draws = x.draws.map((each, r) => each + sign * (y.draws[r] ?? Number.NaN));
  return { value: Math.abs(value) <= ROUNDING ? 0 : value, error: errorOf(draws), draws };
}

function errorOf(draws: Float64Array): number {
  return Math.max(ROUNDING, Math.sqrt(covariance(draws, draws)));
}

/** By how many standard errors the error with a sign for each bin is larger than that with one sign for all. */
function signChange({ binwise, overall, binwiseDraws, overallDraws }: SignedErrors): number {
  const draws = binwiseDraws.map((value, r) => value - (overallDraws[r] ?? Number.NaN));
  return (binwise - overall) / errorOf(draws);
}

/** Over the resamples that have both. */
function covariance(a: Float64Array, b: Float64Array): number {
  let [count, sumA, sumB] = [0, 0, 0];
  for (let r = 0; r < a.length; r++) {
    if (Number.isNaN(a[r]! + b[r]!)) continue;
    count++;
    sumA += a[r]!;
    sumB += b[r]!;
  }
  if (count < 2) return 0;
  let products = 0;
  for (let r = 0; r < a.length; r++) {
    const product = (a[r]! - sumA / count) * (b[r]! - sumB / count);
    if (!Number.isNaN(product)) products += product;
  }
  return products / (count - 1);
}
