import { CompensatedSum } from '../numeric/compensated-sum.js';
import type { TeacherAlignment } from './teacher-alignment.js';

/** The rows of one fit with a positive weight, and their total weight W. */
export interface WeightedRows {
  readonly alignment: TeacherAlignment;
  readonly indexes: Int32Array;
  readonly weights: Float64Array;
  readonly totalWeight: number;
  /**
   * Natural log of a factor that both means of L' are multiplied by. 0 but where the teacher's probabilities underflow:
   * then `liftedTeacherMeans` hold exp(lift) a_n, and L' is zero at the same beta.
   */
  readonly lift: number;
  readonly teacherMeans: Float64Array;
}

/** L'(beta) = (1/W) sum_n w_n (E_q[d_n] - a_n) and L''(beta) = (1/W) sum_n w_n Var_q(d_n), both times exp(lift). */
export function alignmentSlope(rows: WeightedRows, beta: number): { slope: number; curvature: number } {
  const { indexes, weights, lift, teacherMeans } = rows;
  const { offsets, values } = rows.alignment.gaps;
  const slope = new CompensatedSum();
  let curvature = 0;
  for (let i = 0; i < indexes.length; i++) {
    const weight = weights[i]!;
    if (weight === 0) continue;
    const n = indexes[i]!;
    const end = offsets[n + 1]!;
    let total = 0;
    let first = 0;
    let second = 0;
    for (let k = offsets[n]!; k < end; k++) {
      const gap = values[k]!;
      if (gap === 0) {
        total += 1;
        continue;
      }
      const mass = Math.exp(beta * gap);
      total += mass;
      const part = (lift === 0 ? mass : Math.exp(beta * gap + lift)) * gap;
      first += part;
      second += part * gap;
    }
    const mean = first / total;
    slope.add(weight * (mean - teacherMeans[n]!));
    curvature += weight * (second / total - mean * (lift === 0 ? mean : mean * Math.exp(-lift)));
  }
  return { slope: slope.value / rows.totalWeight, curvature: curvature / rows.totalWeight };
}
