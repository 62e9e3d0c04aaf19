import { expOfGap } from '../../numeric/exp-of-gap.js';
import { inBlocks } from '../../numeric/in-blocks.js';
import { type RowKernels, walkRows } from '../../numeric/kernels/row-kernels.js';
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
  const sums = { beta, slope: 0, lost: 0, curvature: 0 };
  if (objective.rowLifts !== null)
    inBlocks(objective.weights.length, (start, end) => addLiftedRows(objective, sums, start, end));
  else
    walkRows(
      objective.alignment.gaps,
      (kernels, start, end) => addByKernel(kernels, objective, sums, [start, end]),
      (start, end) => addPlainRows(objective, sums, start, end),
    );
  const slope = Number.isFinite(sums.slope) ? sums.slope + sums.lost : sums.slope;
  return { slope: slope / objective.totalWeight, curvature: sums.curvature / objective.totalWeight };
}

/** The sums at one beta; that of the slopes as Neumaier takes it, with what rounding lost. */
interface Sums {
  readonly beta: number;
  slope: number;
  lost: number;
  curvature: number;
}

/** `addPlainRows` in WebAssembly. */
function addByKernel(
  { memory, addSlopes }: RowKernels,
  { weights, teacherMeans }: WeightedObjective,
  sums: Sums,
  [start, end]: readonly [number, number],
): void {
  const { totals } = memory;
  memory.weights.set(weights.subarray(start, end));
  memory.means.set(teacherMeans.subarray(start, end));
  totals[0] = sums.slope;
  totals[1] = sums.lost;
  totals[2] = sums.curvature;
  addSlopes(end - start, sums.beta);
  sums.slope = totals[0];
  sums.lost = totals[1];
  sums.curvature = totals[2];
}

/** This loop is most of the time of a fit: no call and no branch that has to be guessed. */
function addPlainRows(objective: WeightedObjective, sums: Sums, from: number, to: number): void {
  const { alignment, weights, teacherMeans } = objective;
  const { offsets, values } = alignment.gaps;
  const { beta } = sums;
  let { slope, lost, curvature } = sums;
  for (let n = from; n < to; n++) {
    const weight = weights[n]!;
    if (weight === 0) continue;
    const end = offsets[n + 1]!;
    let total = 0;
    let first = 0;
    let second = 0;
    for (let k = offsets[n]!; k < end; k++) {
      const gap = values[k]!;
      const mass = expOfGap(beta * gap);
      total += mass;
      first += mass * gap;
      second += mass * gap * gap;
    }
    const mean = first / total;
    const term = weight * (mean - teacherMeans[n]!);
    const next = slope + term;
    lost += Math.abs(slope) >= Math.abs(term) ? slope - next + term : term - next + slope;
    slope = next;
    curvature += weight * (second / total - mean * mean);
  }
  sums.slope = slope;
  sums.lost = lost;
  sums.curvature = curvature;
}

function addLiftedRows(objective: WeightedObjective, sums: Sums, from: number, to: number): void {
  const { alignment, weights, teacherMeans } = objective;
  const { offsets, values } = alignment.gaps;
  const { beta } = sums;
  for (let n = from; n < to; n++) {
    const weight = weights[n]!;
    if (weight === 0) continue;
    const lift = objective.rowLifts![n]!;
    let total = 0;
    let first = 0;
    let second = 0;
    for (let k = offsets[n]!; k < offsets[n + 1]!; k++) {
      const gap = values[k]!;
      total += expOfGap(beta * gap);
      if (gap === 0) continue;
      const part = Math.exp(beta * gap + lift) * gap;
      first += part;
      second += part * gap;
    }
    const mean = first / total;
    const term = weight * (mean - teacherMeans[n]!);
    const next = sums.slope + term;
    sums.lost += Math.abs(sums.slope) >= Math.abs(term) ? sums.slope - next + term : term - next + sums.slope;
    sums.slope = next;
    sums.curvature += weight * (second / total - mean * mean * Math.exp(-lift));
  }
}
