/**
 * I_x(a, b), the regularised incomplete beta function of a, b > 0 and x in [0, 1], by its continued fraction (NIST DLMF
 * 2010, 8.17.22).
 */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) - logBeta(a, b)) / a;
  return front / fraction(x, a, b);
}

/** The x with I_x(a, b) = share, by bisection (NIST DLMF 2010, 8.17). */
export function betaQuantile(share: number, a: number, b: number): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (incompleteBeta(middle, a, b) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
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

/** 1 + d1 / (1 + d2 / (1 + ...)), from the far end. */
function fraction(x: number, a: number, b: number): number {
  let value = 1;
  for (let m = 200; m > 0; m--) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    value = 1 + even / (1 + odd / value);
  }
  return 1 + (-(a + b) * x) / (a + 1) / value;
}

function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}

/** ln Gamma(x) by Stirling's series (NIST DLMF 2010, 5.11.1) after lifting x above 15. */
function logGamma(x: number): number {
  let [lifted, product] = [x, 1];
  let logProduct = 0;
  while (lifted < 15) {
    product *= lifted;
    lifted++;
  }
  logProduct = Math.log(product);
  const inverse = 1 / (lifted * lifted);
  const series = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse / 1680))) / lifted;
  return (lifted - 0.5) * Math.log(lifted) - lifted + Math.log(2 * Math.PI) / 2 + series - logProduct;
}
