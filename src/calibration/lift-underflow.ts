import type { RaggedRows } from '../numeric/ragged-rows.js';
import type { WeightedObjective } from './alignment-slope.js';

/**
 * The same objective with both means of L' multiplied by exp(lift), for teachers so sure of the target's top option
 * that every other probability underflows (logit gaps beyond 700). The root stays where it is in exact arithmetic.
 * null when no option below the top has any teacher mass even then (one-hot teachers): the optimum is tau -> 0.
 */
export function liftUnderflow(objective: WeightedObjective): WeightedObjective | null {
  const { alignment, weights } = objective;
  const teacher = alignment.teacherLogits?.();
  if (teacher === undefined) return null;
  let largest = Number.NEGATIVE_INFINITY;
  eachLogMass(teacher, alignment.gaps, weights, (_, logMass) => {
    largest = Math.max(largest, logMass);
  });
  if (!Number.isFinite(largest)) return null;
  const lift = -largest;
  const teacherMeans = new Float64Array(weights.length);
  eachLogMass(teacher, alignment.gaps, weights, (n, logMass, gap) => {
    teacherMeans[n]! += Math.exp(logMass + lift) * gap;
  });
  return { ...objective, lift, teacherMeans };
}

/** Visits every option below the target's top in every weighted row: ln p_n[k] and d_n[k]. */
function eachLogMass(
  teacher: RaggedRows,
  gaps: RaggedRows,
  weights: Float64Array,
  visit: (n: number, logMass: number, gap: number) => void,
): void {
  for (let n = 0; n < weights.length; n++) {
    if (weights[n] === 0) continue;
    const end = gaps.offsets[n + 1]!;
    let max = Number.NEGATIVE_INFINITY;
    for (let k = gaps.offsets[n]!; k < end; k++) max = Math.max(max, teacher.values[k]!);
    let total = 0;
    for (let k = gaps.offsets[n]!; k < end; k++) total += Math.exp(teacher.values[k]! - max);
    for (let k = gaps.offsets[n]!; k < end; k++) {
      if (gaps.values[k]! < 0) visit(n, teacher.values[k]! - max - Math.log(total), gaps.values[k]!);
    }
  }
}
