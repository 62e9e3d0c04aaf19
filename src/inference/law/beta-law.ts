import { betaQuantile } from './beta-quantile.js';
import { betaLaw, shareBelow } from './beta-share.js';

/**
 * I_x(a, b), the regularised incomplete beta function of a, b > 0 and x in [0, 1], by its continued fraction (NIST DLMF
 * 2010, 8.17.22).
 */
export function incompleteBeta(x: number, a: number, b: number): number {
  return shareBelow(betaLaw(a, b), x);
}

/**
 * Interval of Clopper and Pearson (1934) for a share of which `hits` of `count` came true, in [0, 1]; its level is at
 * least 1 - miss.
 */
export function clopperPearson(hits: number, count: number, miss = 0.05): { low: number; high: number } {
  return {
    low: hits === 0 ? 0 : betaQuantile(miss / 2, hits, count - hits + 1),
    high: hits === count ? 1 : betaQuantile(1 - miss / 2, hits + 1, count - hits),
  };
}

/**
 * The t above which 1 - share of Student's (1908) law lies, 0.5 < share < 1, with `freedom` degrees of freedom: t^2 = f
 * (1 / x - 1), x a beta quantile.
 */
export function studentQuantile(share: number, freedom: number): number {
  const x = betaQuantile(2 * (1 - share), freedom / 2, 0.5);
  return Math.sqrt(freedom * (1 / x - 1));
}

/** P(|T| >= |t|) of Student's (1908) law with `freedom` degrees of freedom: I_x(f / 2, 1 / 2) at x = f / (f + t^2). */
export function studentP(t: number, freedom: number): number {
  return incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5);
}
