import { longestRow, type RaggedRows } from '../numeric/ragged-rows.js';
import { Scratch } from '../numeric/scratch.js';
import type { Binning } from './bins/binning.js';
import { ece } from './ece.js';
import { gatherExamples } from './gather-examples.js';
import { massesOf } from './masses-of.js';

/**
 * ECE alone, Eq. (ece), of softmax(beta z) on the labelled examples among the given indexes, for many beta: what curves
 * need, to the bit that of `evaluate`, at a small part of the cost of every metric. beta 0 is the infinite temperature.
 * null when no example has a label.
 */
export function eceEvaluator(
  logits: RaggedRows,
  indexes: Int32Array,
  labels: Int32Array,
  binning: Partial<Binning>,
): (inverseTemperature: number) => number | null {
  const examples = gatherExamples({ logits, indexes, labels }, new Scratch());
  const { rowCount, predictions, labels: taken } = examples;
  const correct = Uint8Array.from(taken, (label, n) => (label === predictions[n] ? 1 : 0));
  const confidences = new Float64Array(rowCount);
  const masses = new Float64Array(longestRow(examples));
  return (beta) => {
    if (rowCount === 0) return null;
    const rowMasses = { beta, masses };
    for (let n = 0; n < rowCount; n++) confidences[n] = 1 / (1 + massesOf(examples, n, predictions[n]!, rowMasses));
    return ece(confidences, correct, binning);
  };
}
