import { compensatedSum } from '../../numeric/compensated-sum.js';
import { LEAST_SPREAD } from '../../numeric/logit-limits.js';
import { weightedMean } from '../../numeric/weighted-mean.js';
import { alignmentSlope, type WeightedObjective } from './alignment-slope.js';
import { weightedBoundaryMargin } from './boundary-margin.js';
import { liftUnderflow } from './lift-underflow.js';
import { scaledWeights } from './scaled-weights.js';
import { solveSlope } from './solve-slope.js';
import type { TeacherAlignment } from './teacher-alignment.js';
import { type FiniteTemperature, fittedTemperature, type TemperatureOutcome } from './temperature-outcome.js';

/** |L'| at the root, relative to the smaller of M_w and the teacher's mean gap. */
const TOLERANCE = 1e-12;
/** Below this the teacher's mean gap has lost digits to underflow. */
const UNDERFLOW = 1e-290;

/**
 * Minimises the weighted KL objective of Eq. (tempobj) over one temperature, by the root of its derivative in beta =
 * 1/tau (Eq. (firstderiv)). One weight (0 or more) per example of the alignment; 0 leaves an example out. `logWeights`
 * gives ln w_n for weights that underflow: w_n > 0 in exact arithmetic, so a split without agreement has a fit however
 * far apart the logits are.
 *
 * Decided by Proposition 1 before any iteration: M_w <= 0 has its optimum at beta = 0 (`infinite`). Otherwise the root
 * is unique and found to float64 precision, whatever the scale of the logits.
 */
export function fitTemperature(
  alignment: TeacherAlignment,
  givenWeights: Float64Array,
  logWeights: () => Float64Array = () => givenWeights.map((weight) => Math.log(weight)),
): TemperatureOutcome {
  const weights = scaledWeights(givenWeights, logWeights);
  const totalWeight = compensatedSum(weights);
  if (totalWeight === 0) return { kind: 'none', reason: 'no-examples', weightedBoundaryMargin: null };
  const margin = weightedBoundaryMargin(alignment, weights, totalWeight);
  if (widest(alignment, weights) < LEAST_SPREAD) {
    return { kind: 'none', reason: 'constant-logits', weightedBoundaryMargin: margin };
  }
  if (margin <= 0) return { kind: 'infinite', weightedBoundaryMargin: margin };
  const plain = { alignment, weights, totalWeight, rowLifts: null, teacherMeans: alignment.teacherMeans };
  const objective = teacherGap(plain) > UNDERFLOW ? plain : liftUnderflow(alignment, logWeights());
  if (objective === null) return { kind: 'none', reason: 'separable', weightedBoundaryMargin: margin };
  return fitFinite(objective, margin);
}

function fitFinite(objective: WeightedObjective, margin: number): FiniteTemperature {
  const { alignment, weights, totalWeight } = objective;
  const gap = teacherGap(objective);
  const scale = objective.rowLifts === null ? Math.min(gap, margin) : gap;
  const newton = margin / weightedMean(alignment.uniformVariances, weights, totalWeight);
  const root = solveSlope((beta) => alignmentSlope(objective, beta), {
    guess: Number.isFinite(newton) && newton > 0 ? newton : 1 / widest(alignment, weights),
    tolerance: Math.max(TOLERANCE * scale, Number.EPSILON * gap),
  });
  return fittedTemperature(root, margin, scale);
}

/** -(1/W) sum_n w_n a_n, 0 or above: what -E_q[d] must come to at the root. */
function teacherGap({ teacherMeans, weights, totalWeight }: WeightedObjective): number {
  return -weightedMean(teacherMeans, weights, totalWeight);
}

function widest({ widths }: TeacherAlignment, weights: Float64Array): number {
  let most = 0;
  for (let n = 0; n < widths.length; n++) {
    const width = widths[n]!;
    if (weights[n] !== 0 && width > most) most = width;
  }
  return most;
}
