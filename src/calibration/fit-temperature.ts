import { SupportCalError } from '../errors/supportcal-error.js';
import { CompensatedSum, compensatedSum } from '../numeric/compensated-sum.js';
import { alignmentSlope, type WeightedRows } from './alignment-slope.js';
import { weightedBoundaryMargin } from './boundary-margin.js';
import { liftUnderflow } from './lift-underflow.js';
import { solveSlope } from './solve-slope.js';
import type { TeacherAlignment } from './teacher-alignment.js';
import type { TemperatureOutcome } from './temperature-outcome.js';

/** |L'| at the root, relative to the smaller of M_w and the teacher's mean gap. */
const TOLERANCE = 1e-12;

/**
 * Minimises the weighted KL objective of Eq. (tempobj) over one temperature, by the root of its derivative in
 * beta = 1/tau (Eq. (firstderiv)). weights[i] (0 or more) belongs to example indexes[i]; a zero weight leaves it out.
 *
 * Decided by Proposition 1 before any iteration: M_w <= 0 has its optimum at beta = 0 (`infinite`). Otherwise the root is
 * unique and found to float64 precision, whatever the scale of the logits.
 */
export function fitTemperature(
  alignment: TeacherAlignment,
  indexes: Int32Array,
  weights: Float64Array,
): TemperatureOutcome {
  const margin = weightedBoundaryMargin(alignment, indexes, weights);
  if (margin === null) return { kind: 'none', reason: 'no-examples', weightedBoundaryMargin: null };
  const shape = uniformShape(alignment, indexes, weights);
  if (shape.widest === 0) return { kind: 'none', reason: 'constant-logits', weightedBoundaryMargin: margin };
  if (margin <= 0) return { kind: 'infinite', weightedBoundaryMargin: margin };

  const plain: WeightedRows = {
    alignment,
    indexes,
    weights,
    totalWeight: compensatedSum(weights),
    lift: 0,
    teacherMeans: alignment.teacherMeans,
  };
  const rows = meanTeacherGap(plain) > Number.MIN_VALUE / Number.EPSILON ** 2 ? plain : liftUnderflow(plain);
  if (rows === null) return { kind: 'none', reason: 'separable', weightedBoundaryMargin: margin };

  const gap = meanTeacherGap(rows);
  const scale = rows.lift === 0 ? Math.min(gap, margin) : gap;
  const guess = margin / shape.meanVariance;
  const root = solveSlope((beta) => alignmentSlope(rows, beta), {
    guess: Number.isFinite(guess) && guess > 0 ? guess : 1 / shape.widest,
    tolerance: Math.max(TOLERANCE * scale, Number.EPSILON * gap),
  });
  if (root === null)
    throw new SupportCalError('internal', 'the temperature fit did not converge; please report the data');
  return {
    kind: 'finite',
    temperature: 1 / root.beta,
    inverseTemperature: root.beta,
    weightedBoundaryMargin: margin,
    iterations: root.iterations,
    residual: Math.abs(root.slope) / scale,
  };
}

/** -(1/W) sum_n w_n a_n, above 0: what E_q[d] must come to at the root. */
function meanTeacherGap({ indexes, weights, teacherMeans, totalWeight }: WeightedRows): number {
  const sum = new CompensatedSum();
  for (let i = 0; i < indexes.length; i++) if (weights[i] !== 0) sum.add(weights[i]! * -teacherMeans[indexes[i]!]!);
  return sum.value / totalWeight;
}

/** L''(0), the mean variance of the logits under the uniform distribution, and the widest row. */
function uniformShape({ gaps }: TeacherAlignment, indexes: Int32Array, weights: Float64Array) {
  let widest = 0;
  let variance = 0;
  let totalWeight = 0;
  for (let i = 0; i < indexes.length; i++) {
    if (weights[i] === 0) continue;
    const start = gaps.offsets[indexes[i]!]!;
    const end = gaps.offsets[indexes[i]! + 1]!;
    let first = 0;
    let second = 0;
    for (let k = start; k < end; k++) {
      const gap = gaps.values[k]!;
      if (-gap > widest) widest = -gap;
      first += gap;
      second += gap * gap;
    }
    const mean = first / (end - start);
    variance += weights[i]! * (second / (end - start) - mean * mean);
    totalWeight += weights[i]!;
  }
  return { widest, meanVariance: variance / totalWeight };
}
