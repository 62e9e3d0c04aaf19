import { compensatedSum } from '../../numeric/compensated-sum.js';
import { weightedMean } from '../../numeric/weighted-mean.js';
import { scaledWeights } from '../fit/scaled-weights.js';
import type { TemperatureOutcome } from '../fit/temperature-outcome.js';
import type { CalibrationSplit, SplitWeights } from '../open-split.js';

/** Steps of the grid, which has one point more. */
export const LOSS_STEPS = 40;
/** The grid ends at this many times the largest optimum. */
export const LOSS_REACH = 3;

/** The objective of one fit on a grid of beta, and its minimum. */
export interface LossCurve<Fit> {
  readonly fit: Fit;
  readonly temperatureKind: 'finite' | 'infinite';
  /** beta*, 0 where the temperature is infinite. */
  readonly inverseTemperature: number;
  /** L(beta*), in nats. */
  readonly loss: number;
  /** M_w = -L'(0). */
  readonly weightedBoundaryMargin: number;
  /** L at beta = i x step, i from 0. */
  readonly step: number;
  readonly losses: readonly number[];
}

/**
 * L(beta) of Eq. (tempobj) for several weightings of one split, on one grid: equal steps from 0 to three times the
 * largest finite optimum, or to three over the spread of the logits where no optimum is finite. Fits without an optimum
 * (`none`) have no curve.
 */
export function lossCurves<Fit extends { readonly given: SplitWeights; readonly outcome: TemperatureOutcome }>(
  split: CalibrationSplit,
  fits: readonly Fit[],
): LossCurve<Fit>[] {
  const optima = fits.flatMap(({ outcome }) => (outcome.kind === 'finite' ? [outcome.inverseTemperature] : []));
  const scale = optima.length > 0 ? Math.max(...optima) : 1 / (split.logitSpread() || 1);
  const step = (LOSS_REACH / LOSS_STEPS) * scale;
  const divergences = Array.from({ length: LOSS_STEPS + 1 }, (_, i) => split.divergences(i * step));
  return fits.flatMap((fit) => {
    const { outcome, given } = fit;
    if (outcome.kind === 'none' || outcome.weightedBoundaryMargin === null) return [];
    const weights = scaledWeights(given.weights, given.logWeights ?? (() => given.weights.map(Math.log)));
    const total = compensatedSum(weights);
    const inverseTemperature = outcome.kind === 'finite' ? outcome.inverseTemperature : 0;
    return [
      {
        fit,
        temperatureKind: outcome.kind,
        inverseTemperature,
        loss: weightedMean(split.divergences(inverseTemperature), weights, total),
        weightedBoundaryMargin: outcome.weightedBoundaryMargin,
        step,
        losses: divergences.map((each) => weightedMean(each, weights, total)),
      },
    ];
  });
}
