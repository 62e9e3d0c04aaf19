/** L' and L'' at beta. */
export type Slope = (beta: number) => { readonly slope: number; readonly curvature: number };

export interface SlopeRoot {
  readonly beta: number;
  /** L' at the last evaluated beta. */
  readonly slope: number;
  readonly iterations: number;
}

/** Largest step of ln(beta) while the root is not bracketed. */
const WIDEST_STEP = Math.log(64);
const NEWTON_ITERATIONS = 40;
const MOST_ITERATIONS = 400;

/**
 * The root of an increasing L', Eq. (firstderiv), that is negative at 0 and positive somewhere above: safeguarded
 * Newton (Press et al. 2007, Sec. 9.4) on ln(beta), kept inside a bracket that starts as (0, Infinity), with bisection
 * of ln(beta) where a step leaves it or Newton is slow. Working in ln(beta) makes every scale of the logits alike. Ends
 * at |L'| <= tolerance or when the bracket is two neighbouring numbers; null when neither happens (it cannot for a
 * continuous L').
 */
export function solveSlope(slopeAt: Slope, options: { guess: number; tolerance: number }): SlopeRoot | null {
  let low = 0;
  let high = Number.POSITIVE_INFINITY;
  let beta = options.guess;
  for (let iterations = 1; iterations <= MOST_ITERATIONS; iterations++) {
    const { slope, curvature } = slopeAt(beta);
    if (slope < 0) low = beta;
    else high = beta;
    const step = -slope / (beta * curvature);
    const newton = beta * Math.exp(step);
    const inside = newton > low && newton < high;
    if (Math.abs(slope) <= options.tolerance) {
      // One more step costs nothing and squares the error that is left.
      return { beta: inside && Math.abs(step) < 1e-6 ? newton : beta, slope, iterations };
    }
    if (high - low <= 2 * Number.EPSILON * low) return { beta, slope, iterations };
    const trusted = inside && iterations <= NEWTON_ITERATIONS && Math.abs(step) <= WIDEST_STEP;
    beta = trusted ? newton : bisect(low, high);
  }
  return null;
}

/** Middle of ln(low) and ln(high); with an open end, a wide step towards it. */
function bisect(low: number, high: number): number {
  if (low === 0) return high / 64;
  if (high === Number.POSITIVE_INFINITY) return Math.min(low * 64, Number.MAX_VALUE);
  return Math.sqrt(low) * Math.sqrt(high);
}
