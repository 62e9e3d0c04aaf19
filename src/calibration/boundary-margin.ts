import { CompensatedSum } from '../numeric/compensated-sum.js';
import type { TeacherAlignment } from './teacher-alignment.js';

/** A margin below this many roundings of its own terms is a rounded zero. */
const ROUNDINGS = 4;

/**
 * Weighted boundary margin M_w = (1/W) sum_n w_n m_n of Proposition 1, in logit units; L'(0) = -M_w.
 * weights[i] belongs to example indexes[i]. A sum inside its own rounding error is given as exactly 0: its sign means
 * nothing. null when no weight is positive.
 */
export function weightedBoundaryMargin(
  alignment: TeacherAlignment,
  indexes: Int32Array,
  weights: Float64Array,
): number | null {
  const margin = new CompensatedSum();
  const scale = new CompensatedSum();
  const total = new CompensatedSum();
  for (let i = 0; i < indexes.length; i++) {
    const weight = weights[i]!;
    if (weight === 0) continue;
    margin.add(weight * alignment.margins[indexes[i]!]!);
    scale.add(weight * alignment.marginScales[indexes[i]!]!);
    total.add(weight);
  }
  if (total.value === 0) return null;
  const rounded = Math.abs(margin.value) <= ROUNDINGS * Number.EPSILON * scale.value;
  return rounded ? 0 : margin.value / total.value;
}
