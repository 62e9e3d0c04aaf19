import { erf } from '../numeric/folded-normal.js';

/** P(|Z| >= |z|) of Z ~ N(0, 1), 1 - erf(|z| / sqrt 2) (NIST DLMF 2010, 7.2.1); below |z| of 5 to about 1e-15. */
export function twoSidedP(z: number): number {
  return Math.max(0, 1 - erf(Math.abs(z) / Math.SQRT2));
}

/** The z with P(Z <= z) = share, 0.5 <= share < 1, by bisection of `twoSidedP` (quantile function, NIST DLMF 2010, 7.17). */
export function normalQuantile(share: number): number {
  let [low, high] = [0, 9];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (twoSidedP(middle) / 2 > 1 - share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
