/**
 * E|X| of X ~ N(mean, deviation^2) (Leone, Nelson and Nottingham 1961): s sqrt(2/pi) exp(-m^2 / 2s^2) + m erf(m / (s
 * sqrt 2)); |mean| for a deviation of 0.
 */
export function foldedNormalMean(mean: number, deviation: number): number {
  if (deviation === 0) return Math.abs(mean);
  const ratio = Math.abs(mean) / deviation;
  return deviation * Math.sqrt(2 / Math.PI) * Math.exp((-ratio * ratio) / 2) + Math.abs(mean) * erf(ratio / Math.SQRT2);
}

/**
 * Error function of x >= 0 to about 1e-15: its Maclaurin series (NIST DLMF 2010, 7.6.1) below 3, the continued fraction
 * of erfc (7.9.1) above.
 */
export function erf(x: number): number {
  if (x >= 6) return 1;
  if (x < 3) {
    // (2/sqrt pi) exp(-x^2) sum_n (2^n x^(2n+1)) / (2n+1)!!: all terms positive, so nothing cancels.
    let term = x;
    let sum = x;
    for (let n = 1; term > sum * 1e-17; n++) {
      term *= (2 * x * x) / (2 * n + 1);
      sum += term;
    }
    return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
  }
  let fraction = 0;
  for (let n = 60; n > 0; n--) fraction = n / 2 / (x + fraction);
  return 1 - Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + fraction);
}
