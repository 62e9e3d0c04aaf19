/** Beta(a, b), and how many pairs of terms of its continued fraction are taken. */
export interface BetaLaw {
  readonly a: number;
  readonly b: number;
  /** ln B(a, b). */
  readonly logBeta: number;
  readonly terms: number;
}

/** Pairs of terms that are enough for any law here. */
const MOST_TERMS = 200;

/** Beta(a, b) (NIST DLMF 2010, 8.17), with every term of its fraction. */
export function betaLaw(a: number, b: number): BetaLaw {
  return { a, b, logBeta: logBeta(a, b), terms: MOST_TERMS };
}

/** I_x(a, b), P(X <= x) of the law (NIST DLMF 2010, 8.17.22), in [0, 1]. */
export function shareBelow(law: BetaLaw, x: number): number {
  const { a, b } = law;
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  return fromAbove(law, x) ? 1 - lowerShare(b, a, 1 - x, law) : lowerShare(a, b, x, law);
}

/** Whether the fraction of 1 - x is taken, which converges where that of x does not. */
function fromAbove({ a, b }: BetaLaw, x: number): boolean {
  return x > (a + 1) / (a + b + 2);
}

function lowerShare(a: number, b: number, x: number, law: BetaLaw): number {
  const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) - law.logBeta) / a;
  return front / fraction(x, a, b, law.terms);
}

/** 1 + d1 / (1 + d2 / (1 + ...)), from the far end. */
function fraction(x: number, a: number, b: number, terms: number): number {
  let value = 1;
  for (let m = terms; m > 0; m--) value = 1 + evenTerm(x, a, b, m) / (1 + oddTerm(x, a, b, m) / value);
  return 1 + (-(a + b) * x) / (a + 1) / value;
}

function evenTerm(x: number, a: number, b: number, m: number): number {
  return (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
}

function oddTerm(x: number, a: number, b: number, m: number): number {
  return (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
}

/** What a change of the value behind that many terms still changes at the front: nothing, in float64. */
const FORGOTTEN = 1e-24;

/**
 * Pairs of terms of the fraction (NIST DLMF 2010, 8.17.22) after which its value near x is the same to the last bit
 * however many follow.
 */
export function termsAt(law: BetaLaw, x: number): number {
  const [a, b, at] = fromAbove(law, x) ? [law.b, law.a, 1 - x] : [law.a, law.b, x];
  const slopes = new Float64Array(MOST_TERMS + 1);
  let value = 1;
  for (let m = MOST_TERMS; m > 0; m--) {
    const [even, odd] = [evenTerm(at, a, b, m), oddTerm(at, a, b, m)];
    slopes[m] = (even * odd) / (value + odd) ** 2;
    value = 1 + even / (1 + odd / value);
  }
  let [left, terms] = [1, 0];
  while (terms < MOST_TERMS && left > FORGOTTEN) left *= Math.abs(slopes[++terms]!);
  return terms;
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
