import { weightedMean } from '../../numeric/weighted-mean.js';
import type { TeacherAlignment } from './teacher-alignment.js';

/** A margin below this many roundings of its own terms is a rounded zero. */
const ROUNDINGS = 4;

/**
 * Weighted boundary margin M_w = (1/W) sum_n w_n m_n of Proposition 1, in logit units; L'(0) = -M_w. One weight (0 or
 * more) per example, W = `totalWeight` above 0. A sum inside its own rounding error is given as exactly 0: its sign
 * means nothing.
 */
export function weightedBoundaryMargin(
  alignment: Pick<TeacherAlignment, 'margins' | 'marginScales'>,
  weights: Float64Array,
  totalWeight: number,
): number {
  const margin = weightedMean(alignment.margins, weights, totalWeight);
  const scale = weightedMean(alignment.marginScales, weights, totalWeight);
  return withoutRounding(margin, scale);
}

/** m_n or M_w of Eq. (margin); 0 where it is within the rounding error of terms of the given size. */
export function withoutRounding(margin: number, scale: number): number {
  return Math.abs(margin) <= ROUNDINGS * Number.EPSILON * scale ? 0 : margin;
}
