import { predictions } from '../../calibration/answers/predictions.js';
import type { Binning } from '../../metrics/bins/binning.js';
import { ece } from '../../metrics/ece.js';
import { expOfGap } from '../../numeric/exp-of-gap.js';
import { inBlocks } from '../../numeric/in-blocks.js';
import { type RowKernels, walkRows } from '../../numeric/kernels/row-kernels.js';
import { mean } from '../../numeric/mean.js';
import { median } from '../../numeric/quantile.js';
import type { RaggedRows } from '../../numeric/ragged-rows.js';
import { Scratch } from '../../numeric/scratch.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { Histogram } from '../../results/paper-diagnostics.js';
import type { DatasetScores, ModelScores } from '../join/dataset-scores.js';

/** Option mass is in [0, 1]: bins of a twentieth. */
const MASS_BINS = 20;
/** At most, in steps of 1, 2 or 5 times a power of ten, the same for all models of a data set. */
const LENGTH_BINS = 30;

/**
 * How each model does by itself on all examples that it has logits for: no split, no temperature.
 *
 * @param optionsShown false in text mode, where a model cannot know the options and a small mass of theirs says nothing
 */
export function describeModels(scores: DatasetScores, binning: Binning, optionsShown: boolean): Diagnostics['models'] {
  const models = [...scores.models.values()];
  const scratch = new Scratch();
  const lengths = models.map((each) => known(each, each.table.promptTokens, 1, scratch).slice());
  const lengthBins = binsOf(lengths);
  return models.map((each, m) => {
    const tokens = lengths[m] ?? new Float64Array();
    const masses = known(each, each.table.optionMass, 0, scratch);
    const massKnown = optionsShown && masses.length > 0;
    const { confidences, correct, rights } = labelledConfidences(each, scores.labels, scratch);
    const labelled = confidences.length > 0;
    return {
      dataset: scores.dataset,
      model: each.model,
      examples: scores.ids.length - each.failures.length,
      failed: each.failures.length,
      accuracy: labelled ? rights / correct.length : null,
      meanConfidence: mean(confidences),
      ece: labelled ? ece(confidences, correct, binning) : null,
      medianOptionMass: massKnown ? median(masses) : null,
      optionMassHistogram: massKnown ? histogram(masses, { start: 0, width: 1 / MASS_BINS, bins: MASS_BINS }) : null,
      promptTokensHistogram: tokens.length > 0 ? histogram(tokens, lengthBins) : null,
      medianPromptTokens: median(tokens),
    };
  });
}

/** Median option mass of every model, which `describeModels` gives too: all that says which models can be used. */
export function medianOptionMasses(scores: DatasetScores, optionsShown: boolean) {
  const scratch = new Scratch();
  return [...scores.models.values()].map((each) => ({
    model: each.model,
    medianOptionMass: optionsShown ? median(known(each, each.table.optionMass, 0, scratch)) : null,
  }));
}

/** Top probability of every usable labelled example, and 1 where the prediction is right. */
function labelledConfidences({ logits, rowOfExample }: ModelScores, labels: Int32Array, scratch: Scratch) {
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

/**
 * What a column has at the usable examples, in the order of its rows; rows without a value, or one below the least, are
 * left out.
 */
function known(
  { rowOfExample }: ModelScores,
  column: Float64Array | Int32Array,
  least: number,
  scratch: Scratch,
): Float64Array {
  // As many examples as rows, and each with one: every row is usable.
  const all = rowOfExample.length === column.length && !rowOfExample.includes(-1);
  const usable = all ? null : scratch.uint8('usable', column.length).fill(0);
  if (usable !== null) for (const row of rowOfExample) if (row !== -1) usable[row] = 1;
  const values = scratch.float64('values', column.length);
  let count = 0;
  for (let row = 0; row < column.length; row++) {
    const value = column[row]!;
    if (value >= least && (usable === null || usable[row] === 1)) values[count++] = value;
  }
  return values.subarray(0, count);
}

/** Bins that hold all of several lists of whole numbers, with edges between two of these. */
function binsOf(lists: readonly Float64Array[]) {
  let [low, high] = [Number.POSITIVE_INFINITY, 0];
  for (const list of lists) {
    for (const value of list) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (low > high) return { start: 0, width: 1, bins: 1 };
  const width = Math.max(1, roundWidth((high - low + 1) / LENGTH_BINS));
  const start = Math.floor(low / width) * width - 0.5;
  return { start, width, bins: Math.floor((high - start) / width) + 1 };
}

/** Counts of values in equal bins from `start`; a bin owns its left edge, the last one its right edge too. */
function histogram(
  values: Float64Array,
  { start, width, bins }: { readonly start: number; readonly width: number; readonly bins: number },
): Histogram {
  const counts = new Array<number>(bins).fill(0);
  for (const value of values) {
    const bin = Math.min(bins - 1, Math.max(0, Math.floor((value - start) / width)));
    counts[bin]!++;
  }
  return { start, width, counts };
}

/** The least of 1, 2 and 5 times a power of ten that is not below `least` (above 0). */
export function roundWidth(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5].map((step) => step * power).find((width) => width >= least * (1 - 1e-12)) ?? 10 * power;
}
