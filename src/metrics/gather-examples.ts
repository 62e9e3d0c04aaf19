import { SupportCalError } from '../errors/supportcal-error.js';
import { argmaxOfRow } from '../numeric/argmax.js';
import { labelledOf } from '../numeric/labelled-of.js';
import { longestRow, type RaggedRows, rowLength, takeRows } from '../numeric/ragged-rows.js';
import type { Scratch } from '../numeric/scratch.js';

/** What a metric is measured on: the rows with the given indexes, as far as they have a label. */
export interface MeasuredRows {
  readonly logits: RaggedRows;
  readonly indexes: Int32Array;
  /** One per row of logits; -1: no label. */
  readonly labels: Int32Array;
  /** Argmax of every row of logits, ties to the lowest index, where it is known; default: it is found. */
  readonly predictions?: Int32Array;
}

/** The labelled examples of one evaluation, side by side in memory. */
export interface LabelledExamples extends RaggedRows {
  /** Index of each example among all rows. */
  readonly indexes: Int32Array;
  readonly labels: Int32Array;
  /** Argmax of each row, ties to the lowest index. */
  readonly predictions: Int32Array;
  /** The largest number of options. */
  readonly options: number;
}

/**
 * Takes the examples with the given indexes that have a label into `scratch`; a label that is no option is an error.
 */
export function gatherExamples(measured: MeasuredRows, scratch: Scratch): LabelledExamples {
  const { logits, indexes, labels } = measured;
  const labelled = labelledOf(indexes, labels, scratch.int32('labelled', indexes.length));
  const rows = takeRows(logits, labelled, scratch, 'examples');
  const taken = scratch.int32('labels', labelled.length);
  const predictions = scratch.int32('predictions', labelled.length);
  const known = measured.predictions;
  for (let i = 0; i < labelled.length; i++) {
    const n = labelled[i]!;
    const label = labels[n]!;
    const options = rowLength(rows, i);
    if (label < 0 || label >= options) throw labelFault(n, label, options);
    taken[i] = label;
    predictions[i] = known === undefined ? argmaxOfRow(rows, i) : known[n]!;
  }
  return { ...rows, indexes: labelled, labels: taken, predictions, options: longestRow(rows) };
}

function labelFault(n: number, label: number, options: number): SupportCalError {
  const message = `expected a label from 0 to ${options - 1}, or -1 for none, but it is ${label}`;
  return new SupportCalError('bad-input', { row: String(n + 1), field: 'label', message });
}
