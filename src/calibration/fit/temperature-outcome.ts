import { SupportCalError } from '../../errors/supportcal-error.js';
import type { SlopeRoot } from './solve-slope.js';

/** What a temperature fit ends in. Every case is expected; none is an error. */
export type TemperatureOutcome = FiniteTemperature | InfiniteTemperature | NoTemperature;

export interface FiniteTemperature {
  readonly kind: 'finite';
  /** tau above 0. */
  readonly temperature: number;
  /** beta = 1 / tau. */
  readonly inverseTemperature: number;
  /** M_w of Proposition 1, in logit units; null for a method without a KL fit. */
  readonly weightedBoundaryMargin: number | null;
  /** Evaluations of L'. */
  readonly iterations: number;
  /** |L'(beta)| at the last evaluation, relative to the scale of its terms. */
  readonly residual: number;
}

/**
 * The outcome of a solved fit: tau = 1/beta at the root of Eq. (firstderiv).
 *
 * @param scale of the terms of L', by which the residual is measured
 * @throws SupportCalError internal when there is no root, which cannot be for a continuous L'
 */
export function fittedTemperature(
  root: SlopeRoot | null,
  weightedBoundaryMargin: number | null,
  scale: number,
): FiniteTemperature {
  if (root === null) {
    throw new SupportCalError('internal', 'the temperature fit did not converge; please report it with the logits');
  }
  return {
    kind: 'finite',
    temperature: 1 / root.beta,
    inverseTemperature: root.beta,
    weightedBoundaryMargin,
    iterations: root.iterations,
    residual: Math.abs(root.slope) / scale,
  };
}

/** The optimum is beta = 0 (M_w of 0 or below): every option gets 1/K, the prediction stays. */
export interface InfiniteTemperature {
  readonly kind: 'infinite';
  /** null for a method without a KL fit. */
  readonly weightedBoundaryMargin: number | null;
}

/**
 * No fit. `no-examples`: no row has a positive weight. `constant-logits`: every weighted row has equal logits, so the
 * temperature changes nothing. `separable`: the teacher puts all its mass on the target's top option in every weighted
 * row, so the optimum is tau -> 0 (oracle-ts on a split without a wrong prediction). `no-labels`: oracle-ts without
 * labels. `no-references`: a method that asks references without any. `out-of-reach`: an accuracy above the highest
 * mean confidence of any temperature.
 */
export interface NoTemperature {
  readonly kind: 'none';
  readonly reason: 'no-examples' | 'constant-logits' | 'separable' | 'no-labels' | 'no-references' | 'out-of-reach';
  readonly weightedBoundaryMargin: number | null;
}
