import { argmaxOfRow } from '../numeric/argmax.js';
import { inBlocks } from '../numeric/in-blocks.js';
import { labelledOf } from '../numeric/labelled-of.js';
import { longestRow, type RaggedRows } from '../numeric/ragged-rows.js';
import { Scratch } from '../numeric/scratch.js';
import type { Binning } from './bins/binning.js';
import { reliabilityBins } from './bins/reliability-bins.js';
import type { Evaluation } from './evaluate.js';
import { massesOf } from './masses-of.js';

/** Labelled examples whose confidences stand, with what a reliability diagram needs of them. */
export type EvaluatedBins = Pick<Evaluation, 'accuracy' | 'bins' | 'examples' | 'confidences' | 'correct'>;

/**
 * Accuracy, confidences and reliability bins (Fig. 1) of softmax(z), to the bit those of `evaluate` at beta = 1, for
 * many lists of indexes: what does not depend on them is found once for every row. Examples of label -1 are left out;
 * null when none is left.
 *
 * @param scratch holds the arrays, which then stand until the next list; default: they stay
 */
export function binsEvaluator(
  logits: RaggedRows,
  labels: Int32Array,
  binning: Partial<Binning> = {},
  scratch: Scratch | null = null,
): (indexes: Int32Array) => EvaluatedBins | null {
  const all = { confidences: new Float64Array(logits.rowCount), correct: new Uint8Array(logits.rowCount) };
  const rowMasses = { beta: 1, masses: new Float64Array(longestRow(logits)) };
  inBlocks(logits.rowCount, (first, last) => {
    for (let n = first; n < last; n++) {
      if (labels[n] === -1) continue;
      const predicted = argmaxOfRow(logits, n);
      all.confidences[n] = 1 / (1 + massesOf(logits, n, predicted, rowMasses));
      all.correct[n] = predicted === labels[n] ? 1 : 0;
    }
  });
  return (indexes) => {
    const room = scratch ?? new Scratch();
    const examples = labelledOf(indexes, labels, room.int32('examples', indexes.length));
    return examples.length === 0 ? null : takeBins(all, examples, binning, room);
  };
}

function takeBins(
  all: Pick<Evaluation, 'confidences' | 'correct'>,
  examples: Int32Array,
  binning: Partial<Binning>,
  scratch: Scratch,
): EvaluatedBins {
  const confidences = scratch.float64('confidences', examples.length);
  const correct = scratch.uint8('correct', examples.length);
  let rights = 0;
  for (let i = 0; i < examples.length; i++) {
    const n = examples[i]!;
    confidences[i] = all.confidences[n]!;
    correct[i] = all.correct[n]!;
    rights += correct[i]!;
  }
  return {
    accuracy: rights / examples.length,
    bins: reliabilityBins(confidences, correct, binning),
    examples,
    confidences,
    correct,
  };
}
