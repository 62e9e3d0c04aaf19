import type { RaggedRows } from '../numeric/ragged-rows.js';
import { Scratch } from '../numeric/scratch.js';
import type { Binning } from './binning.js';
import { ece } from './ece.js';
import { gatherExamples } from './gather-examples.js';

/**
 * ECE alone of softmax(beta z) on the labelled examples among the given indexes, for many beta: what curves need, at a
 * small part of the cost of every metric. beta 0 is the infinite temperature. null when no example has a label.
 */
export function eceEvaluator(
  logits: RaggedRows,
  indexes: Int32Array,
  labels: Int32Array,
  binning: Partial<Binning>,
): (inverseTemperature: number) => number | null {
  const examples = gatherExamples(logits, indexes, labels, new Scratch());
  const { rowCount, offsets, values, predictions, labels: taken } = examples;
  const correct = Uint8Array.from(taken, (label, n) => (label === predictions[n] ? 1 : 0));
  const confidences = new Float64Array(rowCount);
  return (beta) => {
    if (rowCount === 0) return null;
    for (let n = 0; n < rowCount; n++) {
      const max = values[offsets[n]! + predictions[n]!]!;
      let total = 0;
      for (let k = offsets[n]!; k < offsets[n + 1]!; k++) total += Math.exp(beta * (values[k]! - max));
      confidences[n] = 1 / total;
    }
    return ece(confidences, correct, binning);
  };
}
