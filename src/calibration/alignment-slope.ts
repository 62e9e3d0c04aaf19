import type { TeacherAlignment } from './teacher-alignment.js';

/** One weighted objective: L' of Eq. (firstderiv) up to a positive factor. */
export interface WeightedObjective {
  readonly alignment: TeacherAlignment;
  /** w_n, 0 or more; a row of weight 0 takes no part. */
  readonly weights: Float64Array;
  /** W, above 0. */
  readonly totalWeight: number;
  /**
   * Natural log of the factor that both means of L' are multiplied by. 0 but where the teacher's probabilities
   * underflow; `teacherMeans` hold exp(lift) a_n.
   */
  readonly lift: number;
  readonly teacherMeans: Float64Array;
}

/** L'(beta) = (1/W) sum_n w_n (E_q[d_n] - a_n) and L''(beta) = (1/W) sum_n w_n Var_q(d_n), both times exp(lift). */
export function alignmentSlope(objective: WeightedObjective, beta: number): { slope: number; curvature: number } {
  const { weights, lift, teacherMeans, totalWeight } = objective;
  const { rowCount, offsets, values } = objective.alignment.gaps;
  const lowered = Math.exp(-lift);
  // Neumaier's sum, written out: this loop is most of the time of a calibration.
  let slope = 0;
  let lost = 0;
  let curvature = 0;
  for (let n = 0; n < rowCount; n++) {
    const weight = weights[n]!;
    if (weight === 0) continue;
    const end = offsets[n + 1]!;
    let total = 0;
    let first = 0;
    let second = 0;
    for (let k = offsets[n]!; k < end; k++) {
      const gap = values[k]!;
      const mass = gap === 0 ? 1 : Math.exp(beta * gap);
      const part = (lift === 0 ? mass : Math.exp(beta * gap + lift)) * gap;
      total += mass;
      if (gap !== 0) {
        first += part;
        second += part * gap;
      }
    }
    const mean = first / total;
    const term = weight * (mean - teacherMeans[n]!);
    const next = slope + term;
    lost += Math.abs(slope) >= Math.abs(term) ? slope - next + term : term - next + slope;
    slope = next;
    curvature += weight * (second / total - mean * mean * lowered);
  }
  if (Number.isFinite(slope)) slope += lost;
  return { slope: slope / totalWeight, curvature: curvature / totalWeight };
}
