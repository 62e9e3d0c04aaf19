import { argmax } from '../../numeric/argmax.js';
import { type RaggedRows, rowOf } from '../../numeric/ragged-rows.js';
import { averageRotations, rotationCount } from './average-rotations.js';

/**
 * The option that most of an example's K rotations predict (ties to the larger averaged probability, then to the lowest
 * index), and the share of the rotations that predict it, in [1/K, 1]: self-consistency (Wang et al. 2023) over orders.
 *
 * @param rotations row n holds K x K logits, rotation by rotation, each in the original option order
 */
export function rotationVotes(rotations: RaggedRows): {
  readonly predictions: Int32Array;
  readonly confidences: Float64Array;
} {
  const average = averageRotations(rotations, 'probabilities');
  const predictions = new Int32Array(rotations.rowCount);
  const confidences = new Float64Array(rotations.rowCount);
  for (let n = 0; n < rotations.rowCount; n++) {
    const count = rotationCount(rotations, n);
    const logits = rowOf(rotations, n);
    const votes = new Int32Array(count);
    for (let r = 0; r < count; r++) votes[argmax(logits, r * count, (r + 1) * count)]!++;
    const most = Math.max(...votes);
    const tied = rowOf(average, n).map((logProb, k) => (votes[k] === most ? logProb : Number.NEGATIVE_INFINITY));
    predictions[n] = argmax(tied);
    confidences[n] = most / count;
  }
  return { predictions, confidences };
}
