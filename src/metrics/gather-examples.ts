import { SupportCalError } from '../errors/supportcal-error.js';
import { argmax } from '../numeric/argmax.js';
import { labelledOf } from '../numeric/labelled-of.js';
import { type RaggedRows, takeRows } from '../numeric/ragged-rows.js';
import type { Scratch } from '../numeric/scratch.js';

/** The labelled examples of one evaluation, side by side in memory. */
export interface LabelledExamples extends RaggedRows {
  /** Index of each example among all rows. */
  readonly indexes: Int32Array;
  readonly labels: Int32Array;
  /** Argmax of each row, ties to the lowest index. */
  readonly predictions: Int32Array;
}

/** Takes the examples with the given indexes that have a label into `scratch`; a label that is no option is an error. */
export function gatherExamples(
  logits: RaggedRows,
  indexes: Int32Array,
  labels: Int32Array,
  scratch: Scratch,
): LabelledExamples {
  const labelled = labelledOf(indexes, labels, scratch.int32('labelled', indexes.length));
  const rows = takeRows(logits, labelled, scratch, 'examples');
  const { offsets, values } = rows;
  const taken = scratch.int32('labels', labelled.length);
  const predictions = scratch.int32('predictions', labelled.length);
  for (let i = 0; i < labelled.length; i++) {
    taken[i] = labels[labelled[i]!]!;
    predictions[i] = argmax(values, offsets[i]!, offsets[i + 1]!);
    const options = offsets[i + 1]! - offsets[i]!;
    if (taken[i]! < 0 || taken[i]! >= options) throw labelFault(labelled[i]!, taken[i]!, options);
  }
  return { rowCount: labelled.length, offsets, values, indexes: labelled, labels: taken, predictions };
}

function labelFault(n: number, label: number, options: number): SupportCalError {
  const message = `expected a label from 0 to ${options - 1}, or -1 for none, but it is ${label}`;
  return new SupportCalError('bad-input', { row: String(n + 1), field: 'label', message });
}
