import { logSumExp } from '../../numeric/log-sum-exp.js';
import { rowOf } from '../../numeric/ragged-rows.js';
import { type TeacherAlignment, teacherLogitsOf } from './teacher-alignment.js';

/**
 * l_n(beta) of Eq. (ell) for many beta on the same examples: with d_n = z_n - max z_n and a_n = E_p[d_n], KL(p_n ||
 * softmax(beta z_n)) = sum_k p_n[k] ln p_n[k] - beta a_n + ln sum_k exp(beta d_n[k]), in nats. The first sum is taken
 * once. 0 or above; equal to `klDivergences` up to the rounding of that difference. Needs a teacher with logits.
 */
export function alignmentDivergences(alignment: TeacherAlignment): (inverseTemperature: number) => Float64Array {
  const { gaps, teacherMeans } = alignment;
  const { rowCount, offsets, values } = gaps;
  let known: Float64Array | null = null;
  return (beta) => {
    known ??= negativeEntropies(alignment);
    const divergences = new Float64Array(rowCount);
    for (let n = 0; n < rowCount; n++) {
      let total = 0;
      for (let k = offsets[n]!; k < offsets[n + 1]!; k++) total += Math.exp(beta * values[k]!);
      divergences[n] = Math.max(0, known[n]! - beta * teacherMeans[n]! + Math.log(total));
    }
    return divergences;
  };
}

/** sum_k p_n[k] ln p_n[k] of every row of the teacher. */
function negativeEntropies(alignment: TeacherAlignment): Float64Array {
  const logits = teacherLogitsOf(alignment);
  return Float64Array.from({ length: logits.rowCount }, (_, n) => {
    const row = rowOf(logits, n);
    const logTotal = logSumExp(row);
    let sum = 0;
    for (const logit of row) sum += Math.exp(logit - logTotal) * (logit - logTotal);
    return sum;
  });
}
