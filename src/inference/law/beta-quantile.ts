import { type BetaLaw, betaLaw, shareBelow, termsAt } from './beta-share.js';

/** Quantiles that were asked for: the columns of a target ask for most of theirs again. */
const known = new Map<string, number>();
const MOST_KNOWN = 10_000;

/** The x with I_x(a, b) = share, by bisection (NIST DLMF 2010, 8.17). */
export function betaQuantile(share: number, a: number, b: number): number {
  const key = `${share} ${a} ${b}`;
  const quantile = known.get(key) ?? bisected(betaLaw(a, b), share);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, quantile);
  return quantile;
}

const HALVINGS = 60;

/** Halvings of [0, 1]; a bracket tells what the first ones would find, so that the result is theirs to the last bit. */
function bisected(law: BetaLaw, share: number): number {
  const { below, above, terms } = bracketOf(law, share) ?? { below: 0, above: 1, terms: law.terms };
  const quick = { ...law, terms };
  let [low, high] = [0, 1];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    const isBelow = middle <= below || (middle < above && shareBelow(quick, middle) < share);
    if (isBelow) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Where a quantile is known to lie. */
interface Bracket {
  readonly below: number;
  readonly above: number;
  /** Pairs of terms that are enough there. */
  readonly terms: number;
}

const MOST_STEPS = 20;
/** A step this short leaves an error far below the margin, which is far above what rounding does to a quantile. */
const [LAST_STEP, MARGIN] = [1e-9, 1e-13];

/**
 * Newton from the mode, from where it cannot overshoot (the law bends one way below it and the other way above). null:
 * there is no mode inside, or the law does not agree at both ends of the bracket.
 */
function bracketOf(law: BetaLaw, share: number): Bracket | null {
  const { a, b } = law;
  if (!(a > 1 && b > 1)) return null;
  let x = (a - 1) / (a + b - 2);
  let quick = { ...law, terms: termsAt(law, x) };
  for (let i = 0; i < MOST_STEPS; i++) {
    const density = Math.exp((a - 1) * Math.log(x) + (b - 1) * Math.log1p(-x) - law.logBeta);
    const step = (shareBelow(quick, x) - share) / density;
    x -= step;
    if (!(x > 0 && x < 1)) return null;
    if (Math.abs(step) > LAST_STEP) continue;
    quick = { ...law, terms: termsAt(law, x) };
    const [below, above] = [x - MARGIN, x + MARGIN];
    if (shareBelow(quick, below) < share && shareBelow(quick, above) >= share)
      return { below, above, terms: quick.terms };
    return null;
  }
  return null;
}
