import { expOfGap } from '../numeric/exp-of-gap.js';
import { inBlocks } from '../numeric/in-blocks.js';
import type { RaggedRows } from '../numeric/ragged-rows.js';
import type { Scratch } from '../numeric/scratch.js';
import { addConfidence, addHit, BIN_FIELDS, BinTally } from './bins/bin-tally.js';
import { type Binning, binIndex } from './bins/binning.js';
import type { LabelledExamples } from './gather-examples.js';
import { rankKeys } from './log-odds.js';

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
  inBlocks(rowCount, (first, last) => tallyRows(growing, first, last));
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

/**
 * Its objects have the same few shapes whatever is measured: V8 compiles the loop below anew for every shape that it
 * has not seen.
 */
interface GrowingTallies {
  readonly rows: RaggedRows;
  readonly labels: Int32Array;
  readonly predictions: Int32Array;
  readonly rowMasses: RowMasses;
  /** `size` numbers of the tally of top confidences, then as many of every class. */
  readonly sums: Float64Array;
  readonly size: number;
  readonly edges: Float64Array;
  readonly rightOwned: boolean;
  /** Where the sums of the bin of each option of the row in hand begin in a tally. */
  readonly places: Int32Array;
  readonly confidences: Float64Array;
  readonly correct: Uint8Array;
  readonly right: Float64Array;
  readonly wrong: Float64Array;
  /** Right predictions, and the sums of confidences, Brier scores and losses: numbers in an object would be objects. */
  readonly totals: Float64Array;
}

/** Where the product of the rows' totals is turned into a sum of logarithms. */
const LARGE_PRODUCT = 1e100;

function tallyRows(growing: GrowingTallies, first: number, last: number) {
  const { rows, labels, predictions, rowMasses } = growing;
  const { offsets, values } = rows;
  const { beta, masses } = rowMasses;
  const { sums, size, edges, rightOwned, places, confidences, correct, right, wrong, totals } = growing;
  let rights = totals[0]! | 0;
  let confidence = totals[1]!;
  let brier = totals[2]!;
  let nll = totals[3]!;
  let product = 0;
  for (let n = first; n < last; n++) {
    const start = offsets[n]!;
    const count = offsets[n + 1]! - start;
    const predicted = predictions[n]!;
    const label = labels[n]!;
    const rest = massesOf(rows, n, predicted, rowMasses);
    const total = 1 + rest;
    // ln(total) is log1p(rest), which keeps the loss of a sure and right prediction. It is taken once for many rows, of
    // 1 + product, the product of their totals.
    product += rest + product * rest;
    if (product > LARGE_PRODUCT) {
      nll += Math.log1p(product);
      product = 0;
    }
    // 0 times the -Infinity of an impossible option would be no number.
    if (beta !== 0) nll -= beta * (values[start + label]! - values[start + predicted]!);
    for (let k = 0; k < count; k++) {
      const probability = masses[k]! / total;
      const miss = probability - (k === label ? 1 : 0);
      brier += miss * miss;
      const place = BIN_FIELDS * binIndex(probability, edges, rightOwned);
      addConfidence(sums, (k + 1) * size + place, probability);
      places[k] = place;
    }
    addHit(sums, (label + 1) * size + places[label]!, masses[label]! / total, 1);
    const sure = 1 / total;
    const hit = predicted === label ? 1 : 0;
    addConfidence(sums, places[predicted]!, sure);
    addHit(sums, places[predicted]!, sure, hit);
    confidences[n] = sure;
    correct[n] = hit;
    confidence += sure;
    // Written to both sides, kept on one: no branch to guess.
    right[rights] = sure;
    wrong[n - rights] = sure;
    rights += hit;
  }
  totals[0] = rights;
  totals[1] = confidence;
  totals[2] = brier;
  totals[3] = nll + Math.log1p(product);
}

/** Where the masses of one row after the other are written, and at which inverse temperature. */
export interface RowMasses {
  readonly beta: number;
  /** As long as the longest row, or longer. */
  readonly masses: Float64Array;
}

/**
 * Writes exp(beta (z_k - z_max)) of row n into the front of `masses`: 1 for the prediction. Returns the sum of the
 * others, by Neumaier (1974): the same logits in another option order must be the same confidence to the last bit, or
 * ties of AUROC and equal-mass bins would break by rounding. At beta 0 all are 1, that of a logit of -Infinity too.
 */
export function massesOf(
  { offsets, values }: RaggedRows,
  n: number,
  predicted: number,
  { beta, masses }: RowMasses,
): number {
  const start = offsets[n]!;
  const count = offsets[n + 1]! - start;
  if (beta === 0) {
    masses.fill(1, 0, count);
    return count - 1;
  }
  const max = values[start + predicted]!;
  let rest = 0;
  let lost = 0;
  for (let k = 0; k < count; k++) {
    if (k === predicted) continue;
    const mass = expOfGap(beta * (values[start + k]! - max));
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
