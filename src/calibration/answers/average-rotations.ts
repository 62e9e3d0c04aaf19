import { SupportCalError } from '../../errors/supportcal-error.js';
import { argmax } from '../../numeric/argmax.js';
import { logSumExp } from '../../numeric/log-sum-exp.js';
import { type RaggedRows, raggedRows, rowLength, rowOf } from '../../numeric/ragged-rows.js';
import { logSoftmax } from '../../numeric/softmax.js';

/**
 * CAPE's distribution of N examples (Jiang et al. 2023). With p_r = softmax of rotation r's K logits in the original
 * option order: `probabilities`: p = (1/K) sum_r p_r; `log-probabilities`: p proportional to exp((1/K) sum_r ln p_r).
 *
 * @param rotations row n holds K x K logits, rotation by rotation
 * @returns row n holds K log-probabilities, finite however far apart finite logits are; where the mean of logarithms
 *   makes every option impossible, all K are alike
 */
export function averageRotations(rotations: RaggedRows, mean: 'probabilities' | 'log-probabilities'): RaggedRows {
  return eachExample(rotations, (logits, count) => {
    const perRotation = Array.from({ length: count }, (_, r) => {
      const own = logits.subarray(r * count, (r + 1) * count);
      return mean === 'probabilities' ? logSoftmax(own) : belowTop(own);
    });
    const options = Array.from({ length: count }, (_, k) => perRotation.map((values) => values[k]!));
    if (mean === 'probabilities') return options.map((logProbs) => logSumExp(logProbs) - Math.log(count));
    const means = options.map((values) => sumInOrder(values) / count);
    return logSoftmax(means.some(Number.isFinite) ? means : means.map(() => 0));
  });
}

/**
 * Logits less their maximum, in place of log-probabilities: they differ by a constant, which falls out, and sums of
 * logits that are equal stay equal.
 */
function belowTop(logits: Float64Array): Float64Array {
  const top = logits[argmax(logits)]!;
  return logits.map((logit) => logit - top);
}

/** In ascending order: options with the same values in different rotations are tied, whatever rounding does. */
function sumInOrder(values: readonly number[]): number {
  return Float64Array.from(values)
    .sort()
    .reduce((sum, each) => sum + each, 0);
}

/**
 * Options K of row n of rotations, which holds K x K logits (CAPE's K cyclic orders, Jiang et al. 2023). Any other
 * number is an error.
 */
export function rotationCount(rotations: RaggedRows, n: number): number {
  const length = rowLength(rotations, n);
  const count = Math.round(Math.sqrt(length));
  if (count > 0 && count * count === length) return count;
  const message = `expected K x K logits of K rotations, but there are ${length}; score this example again`;
  throw new SupportCalError('bad-input', { row: String(n + 1), message });
}

function eachExample(
  rotations: RaggedRows,
  average: (logits: Float64Array, count: number) => ArrayLike<number>,
): RaggedRows {
  const examples = Array.from({ length: rotations.rowCount }, (_, n) => n);
  return raggedRows(examples.map((n) => average(rowOf(rotations, n), rotationCount(rotations, n))));
}
