import type { WeightedRows } from './alignment-slope.js';

/**
 * The same rows with both means of L' multiplied by exp(lift), for teachers so sure of the target's top option that
 * every other probability underflows (logit gaps beyond 700). The root stays where it is in exact arithmetic.
 * null when no option below the top has any teacher mass even then (one-hot teachers): the optimum is tau -> 0.
 */
export function liftUnderflow(rows: WeightedRows): WeightedRows | null {
  const lift = -largestLogMass(rows);
  if (!Number.isFinite(lift)) return null;
  const teacherMeans = new Float64Array(rows.alignment.gaps.rowCount);
  eachLogMass(rows, (n, logMass, gap) => {
    teacherMeans[n]! += Math.exp(logMass + lift) * gap;
  });
  return { ...rows, lift, teacherMeans };
}

function largestLogMass(rows: WeightedRows): number {
  let largest = Number.NEGATIVE_INFINITY;
  eachLogMass(rows, (_, logMass) => {
    largest = Math.max(largest, logMass);
  });
  return largest;
}

/** Visits every option below the target's top in every weighted row: ln p_n[k] and d_n[k]. */
function eachLogMass(rows: WeightedRows, visit: (n: number, logMass: number, gap: number) => void): void {
  const teacher = rows.alignment.teacherLogits;
  if (teacher === null) return;
  const { offsets, values } = rows.alignment.gaps;
  rows.indexes.forEach((n, i) => {
    if (rows.weights[i] === 0) return;
    let max = Number.NEGATIVE_INFINITY;
    for (let k = offsets[n]!; k < offsets[n + 1]!; k++) max = Math.max(max, teacher.values[k]!);
    let total = 0;
    for (let k = offsets[n]!; k < offsets[n + 1]!; k++) total += Math.exp(teacher.values[k]! - max);
    for (let k = offsets[n]!; k < offsets[n + 1]!; k++) {
      if (values[k]! < 0) visit(n, teacher.values[k]! - max - Math.log(total), values[k]!);
    }
  });
}
