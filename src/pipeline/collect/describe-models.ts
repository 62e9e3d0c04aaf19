import type { Binning } from '../../metrics/bins/binning.js';
import { median } from '../../numeric/quantile.js';
import { Scratch } from '../../numeric/scratch.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { Histogram } from '../../results/paper-diagnostics.js';
import type { DatasetScores, ModelScores } from '../join/dataset-scores.js';
import { type MeasuredModel, measureModel } from './measure-model.js';

/** Option mass is in [0, 1]: bins of a twentieth. */
const MASS_BINS = 20;
/** At most, in steps of 1, 2 or 5 times a power of ten, the same for all models of a data set. */
const LENGTH_BINS = 30;

/**
 * How each model does by itself on all examples that it has logits for: no split, no temperature.
 *
 * @param optionsShown false in text mode, where a model cannot know the options and a small mass of theirs says nothing
 */
export function describeModels(
  scores: DatasetScores,
  binning: Binning,
  optionsShown: boolean,
  measured: (scores: ModelScores) => MeasuredModel = (each) =>
    measureModel({ ...each, labels: scores.labels }, binning),
): Diagnostics['models'] {
  const models = [...scores.models.values()];
  const scratch = new Scratch();
  const lengths = models.map((each) => known(each, each.table.promptTokens, 1, scratch).slice());
  const lengthBins = binsOf(lengths);
  return models.map((each, m) => {
    const tokens = lengths[m] ?? new Float64Array();
    const masses = known(each, each.table.optionMass, 0, scratch);
    const massKnown = optionsShown && masses.length > 0;
    const { accuracy, meanConfidence, ece } = measured(each);
    return {
      dataset: scores.dataset,
      model: each.model,
      examples: scores.ids.length - each.failures.length,
      failed: each.failures.length,
      accuracy,
      meanConfidence,
      ece,
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
  // A loop for each kind of numbers: one that sees both is twice as slow for a million rows.
  const count =
    column instanceof Float64Array
      ? takeFloats(column, least, usable, values)
      : takeInts(column, least, usable, values);
  return values.subarray(0, count);
}

function takeFloats(column: Float64Array, least: number, usable: Uint8Array | null, values: Float64Array): number {
  let count = 0;
  for (let row = 0; row < column.length; row++) {
    const value = column[row]!;
    if (value >= least && (usable === null || usable[row] === 1)) values[count++] = value;
  }
  return count;
}

function takeInts(column: Int32Array, least: number, usable: Uint8Array | null, values: Float64Array): number {
  let count = 0;
  for (let row = 0; row < column.length; row++) {
    const value = column[row]!;
    if (value >= least && (usable === null || usable[row] === 1)) values[count++] = value;
  }
  return count;
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
