import { normalQuantile, twoSidedP } from './detectable-difference.js';

/** The first three moments of a law on the line. */
export interface Moments {
  readonly mean: number;
  /** Above 0. */
  readonly deviation: number;
  /** Third central moment over deviation^3. */
  readonly skewness: number;
}

/** A skewness nearer to 0 than this is none. */
const STRAIGHT = 1e-4;

/**
 * P(X <= x) of the gamma law with these moments (Pearson 1895, type III), whose cube root is nearly normal (Wilson and
 * Hilferty 1931): Phi(6 / g (cbrt(1 + g t / 2) - 1) + g / 6), t = (x - mean) / deviation, g the skewness. In [0, 1].
 */
export function shareBelow({ mean, deviation, skewness: g }: Moments, x: number): number {
  const t = (x - mean) / deviation;
  const z = Math.abs(g) < STRAIGHT ? t : (6 / g) * (Math.cbrt(1 + (g * t) / 2) - 1) + g / 6;
  return z > 0 ? 1 - twoSidedP(z) / 2 : twoSidedP(z) / 2;
}

/** The x with P(X <= x) = share of the same law (Wilson and Hilferty 1931), 0.5 <= share < 1. */
export function upperQuantile({ mean, deviation, skewness: g }: Moments, share: number): number {
  const z = normalQuantile(share);
  const t = Math.abs(g) < STRAIGHT ? z : (2 / g) * ((1 + (g / 6) * (z - g / 6)) ** 3 - 1);
  return mean + deviation * t;
}
