import type { RaggedRows } from '../numeric/ragged-rows.js';
import type { Scratch } from '../numeric/scratch.js';
import { BinTally } from './bin-tally.js';
import type { Binning } from './binning.js';
import type { LabelledExamples } from './gather-examples.js';

/** Sums over the examples that all metrics are made of. */
export interface Tallies {
  readonly count: number;
  /** Top probability against "the prediction is right". */
  readonly top: BinTally;
  /** classes[k]: probability of option k against "the label is k". */
  readonly classes: readonly BinTally[];
  /** Confidences of right and of wrong predictions, in the order of the examples. */
  readonly right: Float64Array;
  readonly wrong: Float64Array;
  /** Per example: top probability, and 1 where the prediction is right. */
  readonly confidences: Float64Array;
  readonly correct: Uint8Array;
  readonly confidence: number;
  readonly brier: number;
  readonly nll: number;
}

/**
 * One walk over the examples at q = softmax(beta z) for Eq. (ece), Brier (1950) score and log-loss, max-shifted; nothing is allocated per row. The arrays
 * are the scratch's.
 */
export function tallyExamples(
  examples: LabelledExamples,
  beta: number,
  { bins, edgeRule }: Binning,
  scratch: Scratch,
): Tallies {
  const { rowCount, offsets, values, labels, predictions } = examples;
  const top = new BinTally(bins, edgeRule);
  const options = longestRow(examples);
  const classes = Array.from({ length: options }, () => new BinTally(bins, edgeRule));
  const masses = new Float64Array(options);
  const confidences = scratch.float64('confidences', rowCount);
  const correct = scratch.uint8('correct', rowCount);
  const right = scratch.float64('right', rowCount);
  const wrong = scratch.float64('wrong', rowCount);
  let [rights, wrongs, confidence, brier, nll] = [0, 0, 0, 0, 0];
  for (let n = 0; n < rowCount; n++) {
    const start = offsets[n]!;
    const count = offsets[n + 1]! - start;
    const predicted = predictions[n]!;
    const label = labels[n]!;
    const rest = massesOf(values, start, count, predicted, beta, masses);
    const total = 1 + rest;
    // log1p keeps the loss of a sure and right prediction, where ln(total) would round to 0.
    nll += Math.log1p(rest) - beta * (values[start + label]! - values[start + predicted]!);
    for (let k = 0; k < count; k++) {
      const probability = masses[k]! / total;
      const hit = k === label ? 1 : 0;
      brier += (probability - hit) * (probability - hit);
      classes[k]!.add(probability, hit);
    }
    const sure = 1 / total;
    const hit = predicted === label ? 1 : 0;
    confidences[n] = sure;
    correct[n] = hit;
    confidence += sure;
    top.add(sure, hit);
    // Written to both sides, kept on one: no branch to guess.
    right[rights] = sure;
    wrong[wrongs] = sure;
    rights += hit;
    wrongs += 1 - hit;
  }
  return {
    count: rowCount,
    top,
    classes,
    right: right.subarray(0, rights),
    wrong: wrong.subarray(0, wrongs),
    confidences,
    correct,
    confidence,
    brier,
    nll,
  };
}

/**
 * Writes exp(beta (z_k - z_max)) of one row into the front of `masses`: 1 for the prediction. Returns the sum of the others,
 * by Neumaier (1974): the same logits in another option order must be the same confidence to the last bit, or ties of AUROC
 * and equal-mass bins would break by rounding.
 */
export function massesOf(
  values: Float64Array,
  start: number,
  count: number,
  predicted: number,
  beta: number,
  masses: Float64Array,
): number {
  const max = values[start + predicted]!;
  let rest = 0;
  let lost = 0;
  for (let k = 0; k < count; k++) {
    if (k === predicted) continue;
    const mass = Math.exp(beta * (values[start + k]! - max));
    const sum = rest + mass;
    // What the sum lost, by Knuth's six operations: a comparison of the two would be guessed wrong half of the time.
    const kept = sum - rest;
    lost += rest - (sum - kept) + (mass - kept);
    rest = sum;
    masses[k] = mass;
  }
  masses[predicted] = 1;
  return rest + lost;
}

/** The largest K of all rows. */
export function longestRow({ rowCount, offsets }: RaggedRows): number {
  let longest = 0;
  for (let n = 0; n < rowCount; n++) longest = Math.max(longest, offsets[n + 1]! - offsets[n]!);
  return longest;
}
