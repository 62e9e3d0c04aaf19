import { argmaxOfRow } from '../numeric/argmax.js';
import { longestRow } from '../numeric/ragged-rows.js';
import { Scratch } from '../numeric/scratch.js';
import type { Binning } from './bins/binning.js';
import { reliabilityBins } from './bins/reliability-bins.js';
import type { Evaluation } from './evaluate.js';
import type { MeasuredRows } from './gather-examples.js';
import { massesOf } from './tally-examples.js';

/**
 * Accuracy, confidences and reliability bins (Fig. 1) of softmax(z), to the bit those of `evaluate` at beta = 1, at a
 * small part of its cost. Examples of label -1 are left out; null when none is left. The arrays are the scratch's.
 */
export function evaluateBins(
  { logits, indexes, labels }: MeasuredRows,
  binning: Partial<Binning> = {},
  scratch: Scratch = new Scratch(),
): Pick<Evaluation, 'accuracy' | 'bins' | 'examples' | 'confidences' | 'correct'> | null {
  const rowMasses = { beta: 1, masses: new Float64Array(longestRow(logits)) };
  const examples = scratch.int32('examples', indexes.length);
  const confidences = scratch.float64('confidences', indexes.length);
  const correct = scratch.uint8('correct', indexes.length);
  let [count, rights] = [0, 0];
  for (let i = 0; i < indexes.length; i++) {
    const n = indexes[i]!;
    if (labels[n] === -1) continue;
    const predicted = argmaxOfRow(logits, n);
    const right = predicted === labels[n] ? 1 : 0;
    confidences[count] = 1 / (1 + massesOf(logits, n, predicted, rowMasses));
    correct[count] = right;
    examples[count++] = n;
    rights += right;
  }
  if (count === 0) return null;
  const measured = {
    examples: examples.subarray(0, count),
    confidences: confidences.subarray(0, count),
    correct: correct.subarray(0, count),
  };
  return {
    accuracy: rights / count,
    bins: reliabilityBins(measured.confidences, measured.correct, binning),
    ...measured,
  };
}
