import { predictions } from '../../calibration/answers/predictions.js';
import type { Binning } from '../../metrics/bins/binning.js';
import { ece } from '../../metrics/ece.js';
import { expOfGap } from '../../numeric/exp-of-gap.js';
import { inBlocks } from '../../numeric/in-blocks.js';
import { type RowKernels, walkRows } from '../../numeric/kernels/row-kernels.js';
import { mean } from '../../numeric/mean.js';
import { longestRow, type RaggedRows, rowLength } from '../../numeric/ragged-rows.js';
import { Scratch } from '../../numeric/scratch.js';
import type { DatasetScores, ModelScores } from '../join/dataset-scores.js';

/** One model's scores with the labels of the examples. */
export interface AnsweredModel extends Pick<ModelScores, 'logits' | 'rowOfExample'> {
  readonly labels: Int32Array;
}

/** How a model does by itself on all examples that it has logits for, null where none of them has a label. */
export interface MeasuredModel {
  readonly accuracy: number | null;
  readonly meanConfidence: number | null;
  readonly ece: number | null;
  readonly answers: AnswerCounts;
}

/** The models of a data set with what was measured of them so far, by id. */
export interface MeasuredModels {
  readonly scores: DatasetScores;
  readonly binning: Binning;
  readonly measured: Map<string, MeasuredModel>;
}

/** @param scratch what the models of a data set are measured in one after the other */
export function measureModel(model: AnsweredModel, binning: Binning, scratch = new Scratch()): MeasuredModel {
  const { confidences, correct, rights } = labelledConfidences(model, scratch);
  const labelled = confidences.length > 0;
  return {
    accuracy: labelled ? rights / correct.length : null,
    meanConfidence: mean(confidences),
    ece: labelled ? ece(confidences, correct, binning) : null,
    answers: answerCounts(model),
  };
}

/** Top probability of every usable labelled example, and 1 where the prediction is right. */
function labelledConfidences({ logits, rowOfExample, labels }: AnsweredModel, scratch: Scratch) {
  const taken = scratch.int32('taken', rowOfExample.length);
  let count = 0;
  for (let i = 0; i < taken.length; i++) if (rowOfExample[i] !== -1 && labels[i] !== -1) taken[count++] = i;
  const confidences = scratch.float64('confidences', count);
  const correct = scratch.uint8('correct', count);
  let rights = 0;
  const rows = { logits, predicted: predictions(logits).indexes, taken, labels, confidences, correct };
  const plain = (first: number, last: number) => {
    rights += measure(rows, first, last);
  };
  // Where some examples are left out, the rows to measure do not lie side by side.
  if (count < logits.rowCount) inBlocks(count, plain);
  else
    walkRows(
      logits,
      (kernels, first, last) => {
        rights += measureByKernel(kernels, rows, first, last);
      },
      plain,
    );
  return { confidences, correct, rights };
}

interface MeasuredRows {
  readonly logits: RaggedRows;
  readonly predicted: Int32Array;
  /** Examples to measure. */
  readonly taken: Int32Array;
  readonly labels: Int32Array;
  readonly confidences: Float64Array;
  readonly correct: Uint8Array;
}

/** `measure` in WebAssembly, where every example is taken. */
function measureByKernel(
  { memory, measure: measureBlock }: RowKernels,
  { predicted, labels, confidences, correct }: MeasuredRows,
  first: number,
  last: number,
): number {
  memory.predictions.set(predicted.subarray(first, last));
  memory.labels.set(labels.subarray(first, last));
  const rights = measureBlock(last - first);
  confidences.set(memory.confidences.subarray(0, last - first), first);
  correct.set(memory.correct.subarray(0, last - first), first);
  return rights;
}

/** Top probability and right or wrong of some of the taken examples; returns how many are right. */
function measure(rows: MeasuredRows, first: number, last: number): number {
  const { logits, taken, labels, confidences, correct } = rows;
  const { offsets, values } = logits;
  let rights = 0;
  for (let n = first; n < last; n++) {
    const example = taken[n]!;
    const start = offsets[example]!;
    const end = offsets[example + 1]!;
    const predicted = rows.predicted[example]!;
    const max = values[start + predicted]!;
    let total = 0;
    for (let k = start; k < end; k++) total += expOfGap(values[k]! - max);
    const right = predicted === labels[example] ? 1 : 0;
    confidences[n] = 1 / total;
    correct[n] = right;
    rights += right;
  }
  return rights;
}

/** How often a model answers each option. */
export function answerCounts({ logits, rowOfExample, labels }: AnsweredModel): AnswerCounts {
  const rows = { logits, rowOfExample, labels, predicted: predictions(logits).indexes };
  const options = longestRow(logits);
  const counts = { answers: new Uint32Array(options), right: new Uint32Array(options), totals: new Uint32Array(3) };
  inBlocks(labels.length, (first, last) => countAnswers(rows, counts, first, last));
  return counts;
}

export interface AnswerCounts {
  /** How often each option is the answer, and how often the label. */
  readonly answers: Uint32Array;
  readonly right: Uint32Array;
  /** Answered examples, labelled ones among them, and options of all answered. */
  readonly totals: Uint32Array;
}

interface AnsweredRows extends AnsweredModel {
  readonly predicted: Int32Array;
}

function countAnswers(
  { logits, rowOfExample, labels, predicted }: AnsweredRows,
  { answers, right, totals }: AnswerCounts,
  first: number,
  last: number,
): void {
  for (let i = first; i < last; i++) {
    if (rowOfExample[i] === -1) continue;
    answers[predicted[i]!]!++;
    totals[0]!++;
    totals[2]! += rowLength(logits, i);
    const label = labels[i] ?? -1;
    if (label === -1) continue;
    // A label beyond the options of every row is counted nowhere, and no answer.
    if (label < right.length) right[label]!++;
    totals[1]!++;
  }
}
