import { SupportCalError } from '../../errors/supportcal-error.js';
import { CompensatedSum } from '../../numeric/compensated-sum.js';
import { type RaggedRows, rowOf, sameShape } from '../../numeric/ragged-rows.js';
import { logSoftmax } from '../../numeric/softmax.js';

/**
 * l_n(beta) of Eq. (ell): KL(softmax(v_n) || softmax(beta z_n)) in nats for every example, 0 or above; from logits, so
 * that no probability underflows on its way. `inverseTemperature` is beta, 0 or above.
 */
export function klDivergences(target: RaggedRows, teacher: RaggedRows, inverseTemperature: number): Float64Array {
  if (!sameShape(target, teacher)) {
    throw new SupportCalError('bad-input', 'expected the same examples and options from the target and its teacher');
  }
  return Float64Array.from({ length: target.rowCount }, (_, n) => {
    const logP = logSoftmax(rowOf(teacher, n));
    const logQ = logSoftmax(rowOf(target, n).map((value) => inverseTemperature * value));
    const sum = new CompensatedSum();
    for (const [k, log] of logP.entries()) sum.add(Math.exp(log) * (log - logQ[k]!));
    return Math.max(0, sum.value);
  });
}

/**
 * L(beta), the objective of Eq. (tempobj) at tau = 1 / beta: the weighted mean of `klDivergences`. One weight, 0 or
 * more, per example; null when all are 0.
 */
export function weightedKl(
  target: RaggedRows,
  teacher: RaggedRows,
  weights: ArrayLike<number>,
  inverseTemperature: number,
): number | null {
  const [sum, total] = [new CompensatedSum(), new CompensatedSum()];
  klDivergences(target, teacher, inverseTemperature).forEach((divergence, n) => {
    const weight = weights[n]!;
    if (weight === 0) return;
    sum.add(weight * divergence);
    total.add(weight);
  });
  return total.value === 0 ? null : sum.value / total.value;
}
