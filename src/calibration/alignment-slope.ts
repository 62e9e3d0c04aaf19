import type { TeacherAlignment } from './teacher-alignment.js';

/** One weighted objective: L' of Eq. (firstderiv) up to a positive factor. */
export interface WeightedObjective {
  readonly alignment: TeacherAlignment;
  /** w_n, 0 or more; a row of weight 0 takes no part. */
  readonly weights: Float64Array;
  /** W, above 0. */
  readonly totalWeight: number;
  /**
   * Natural log of the factor that both means of a row are multiplied by; `teacherMeans` hold exp(lift_n) a_n. null
   * (no factor) but where the teacher's probabilities underflow.
   */
  readonly rowLifts: Float64Array | null;
  readonly teacherMeans: Float64Array;
}

/**
 * L'(beta) = (1/W) sum_n w_n (E_q[d_n] - a_n), Eq. (firstderiv), and L''(beta) = (1/W) sum_n w_n Var_q(d_n),
 * Eq. (secondderiv), row n times exp(lift_n).
 */
export function alignmentSlope(objective: WeightedObjective, beta: number): { slope: number; curvature: number } {
  const { weights, rowLifts, teacherMeans, totalWeight } = objective;
  const { rowCount, offsets, values } = objective.alignment.gaps;
  // Neumaier's sum, written out: this loop is most of the time of a calibration.
  let slope = 0;
  let lost = 0;
  let curvature = 0;
  for (let n = 0; n < rowCount; n++) {
    const weight = weights[n]!;
    if (weight === 0) continue;
    const lift = rowLifts === null ? 0 : rowLifts[n]!;
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
    curvature += weight * (second / total - mean * mean * (lift === 0 ? 1 : Math.exp(-lift)));
  }
  if (Number.isFinite(slope)) slope += lost;
  return { slope: slope / totalWeight, curvature: curvature / totalWeight };
}
