import { inBlocks } from '../numeric/in-blocks.js';
import { rowKernels, walkRows } from '../numeric/kernels/row-kernels.js';
import type { Scratch } from '../numeric/scratch.js';
import { BIN_FIELDS, BinTally } from './bins/bin-tally.js';
import type { Binning } from './bins/binning.js';
import type { LabelledExamples } from './gather-examples.js';
import { rankKeys } from './log-odds.js';
import { type GrowingTallies, tallyByKernel, tallyRows } from './tally-rows.js';

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
  /** Per example what it is ranked by, see `rankKeys`; null: its confidence. */
  readonly ranks: Float64Array | null;
  readonly confidence: number;
  readonly brier: number;
  readonly nll: number;
}

/**
 * One walk over the examples at q = softmax(beta z) for Eq. (ece), Brier (1950) score and log-loss, max-shifted;
 * nothing is allocated per row. The arrays are the scratch's.
 */
export function tallyExamples(
  examples: LabelledExamples,
  beta: number,
  { bins, edgeRule }: Binning,
  scratch: Scratch,
): Tallies {
  const { rowCount, options } = examples;
  const size = BIN_FIELDS * bins;
  const sums = new Float64Array((options + 1) * size);
  const tallyOf = (t: number) => new BinTally(bins, edgeRule, sums.subarray(t * size, (t + 1) * size));
  const top = tallyOf(0);
  const classes = Array.from({ length: options }, (_, k) => tallyOf(k + 1));
  const { offsets, values, labels, predictions } = examples;
  const growing: GrowingTallies = {
    rows: { rowCount, offsets, values },
    labels,
    predictions,
    rowMasses: { beta, masses: new Float64Array(options) },
    sums,
    size,
    edges: top.edges,
    rightOwned: edgeRule === 'right-owned',
    places: new Int32Array(options),
    confidences: scratch.float64('confidences', rowCount),
    correct: scratch.uint8('correct', rowCount),
    right: scratch.float64('right', rowCount),
    wrong: scratch.float64('wrong', rowCount),
    totals: new Float64Array(4),
  };
  tallyAll(growing);
  const { confidences, correct, right, wrong } = growing;
  const [rights = 0, confidence = 0, brier = 0, nll = 0] = growing.totals;
  return {
    count: rowCount,
    top,
    classes,
    confidences,
    correct,
    ranks: rankKeys(growing.rows, predictions, { confidences, inverseTemperature: beta }, scratch),
    confidence,
    brier,
    nll,
    right: right.subarray(0, rights),
    wrong: wrong.subarray(0, rowCount - rights),
  };
}

/** By the kernels, but at an infinite temperature, or with more bins than they have room for. */
function tallyAll(growing: GrowingTallies): void {
  const { rows, rowMasses, sums, edges } = growing;
  const plain = (first: number, last: number) => tallyRows(growing, first, last);
  const room = rowKernels()?.memory;
  const fits = room !== undefined && edges.length <= room.edges.length && sums.length <= room.sums.length;
  if (rowMasses.beta === 0 || !fits) inBlocks(rows.rowCount, plain);
  else {
    room.edges.set(edges);
    walkRows(rows, (kernels, first, last) => tallyByKernel(kernels, growing, first, last), plain);
  }
}
