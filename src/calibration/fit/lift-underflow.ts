import { type RaggedRows, rowOf } from '../../numeric/ragged-rows.js';
import type { WeightedObjective } from './alignment-slope.js';
import type { TeacherAlignment } from './teacher-alignment.js';

/** A row whose terms are exp(700) times smaller than the largest one changes no digit. */
const NEGLIGIBLE = -700;

/**
 * The objective with both means of L', Eq. (firstderiv), multiplied by one factor, for teachers so sure of the target's
 * top option that every other probability underflows (logit gaps beyond 700). The weights, which can underflow too, go
 * into the exponents. The root stays where it is in exact arithmetic. null when no option below the top has any teacher
 * mass even then (one-hot teachers): the optimum is tau -> 0.
 */
export function liftUnderflow(alignment: TeacherAlignment, logWeights: Float64Array): WeightedObjective | null {
  const teacher = alignment.teacherLogits?.();
  if (teacher === undefined) return null;
  let largest = Number.NEGATIVE_INFINITY;
  eachLogMass(teacher, alignment.gaps, logWeights, (_, logMass) => {
    largest = Math.max(largest, logMass);
  });
  if (!Number.isFinite(largest)) return null;
  const rowLifts = logWeights.map((logWeight) => logWeight - largest);
  const weights = rowLifts.map((lift) => (lift < NEGLIGIBLE ? 0 : 1));
  const teacherMeans = new Float64Array(weights.length);
  eachLogMass(teacher, alignment.gaps, logWeights, (n, logMass, gap) => {
    teacherMeans[n]! += Math.exp(logMass - largest) * gap;
  });
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0);
  return { alignment, weights, totalWeight, rowLifts, teacherMeans };
}

/** Visits every option below the target's top in every weighted row: ln (w_n p_n[k]) and d_n[k]. */
function eachLogMass(
  teacher: RaggedRows,
  gaps: RaggedRows,
  logWeights: Float64Array,
  visit: (n: number, logMass: number, gap: number) => void,
): void {
  for (const [n, logWeight] of logWeights.entries()) {
    if (logWeight === Number.NEGATIVE_INFINITY) continue;
    const logits = rowOf(teacher, n);
    let max = Number.NEGATIVE_INFINITY;
    for (const logit of logits) max = Math.max(max, logit);
    let total = 0;
    for (const logit of logits) total += Math.exp(logit - max);
    const shift = logWeight - max - Math.log(total);
    for (const [k, gap] of rowOf(gaps, n).entries()) {
      if (gap < 0) visit(n, logits[k]! + shift, gap);
    }
  }
}
