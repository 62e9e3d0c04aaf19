import { erf } from '../../numeric/folded-normal.js';

/**
 * The difference that a two-sided z test of level 0.05 finds with the given power (Cohen 1988): (z_(1 - 0.025 / m) +
 * z_power) x standard error, in the unit of the standard error; m is the number of comparisons that share the level
 * (Bonferroni, what the first step of Holm asks).
 */
export function detectableDifference(standardError: number, power = 0.8, comparisons = 1): number {
  return (normalQuantile(1 - 0.025 / comparisons) + normalQuantile(power)) * standardError;
}

/**
 * The power of that test against a difference (Cohen 1988): P(|Z + difference / standard error| >= z_(1 - 0.025 / m)),
 * in [0, 1].
 */
export function powerAgainst(difference: number, standardError: number, comparisons = 1): number {
  const [z, shift] = [normalQuantile(1 - 0.025 / comparisons), Math.abs(difference) / standardError];
  const above = (x: number) => (x > 0 ? twoSidedP(x) / 2 : 1 - twoSidedP(x) / 2);
  return above(z - shift) + above(z + shift);
}

/** P(|Z| >= |z|) of Z ~ N(0, 1), 1 - erf(|z| / sqrt 2) (NIST DLMF 2010, 7.2.1); below |z| of 5 to about 1e-15. */
export function twoSidedP(z: number): number {
  return Math.max(0, 1 - erf(Math.abs(z) / Math.SQRT2));
}

/**
 * The z with P(Z <= z) = share, 0.5 <= share < 1, by bisection of `twoSidedP` (quantile function, NIST DLMF 2010,
 * 7.17).
 */
export function normalQuantile(share: number): number {
  let [low, high] = [0, 9];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (twoSidedP(middle) / 2 > 1 - share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
