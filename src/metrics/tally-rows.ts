import type { RowKernels } from '../numeric/kernels/row-kernels.js';
import type { RaggedRows } from '../numeric/ragged-rows.js';
import { addConfidence, addHit, BIN_FIELDS } from './bins/bin-tally.js';
import { binIndex } from './bins/binning.js';
import { massesOf, type RowMasses } from './masses-of.js';

/**
 * Its objects have the same few shapes whatever is measured: V8 compiles the loop below anew for every shape that it
 * has not seen.
 */
export interface GrowingTallies {
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

/** `tallyRows` (Eq. (ece) and the rest) in WebAssembly, for a block that fits into its memory. */
export function tallyByKernel(
  { memory, tally }: RowKernels,
  growing: GrowingTallies,
  first: number,
  last: number,
): void {
  const { labels, predictions, rowMasses, sums, edges, rightOwned, confidences, correct, right, wrong, totals } =
    growing;
  const count = last - first;
  memory.predictions.set(predictions.subarray(first, last));
  memory.labels.set(labels.subarray(first, last));
  memory.sums.set(sums);
  memory.totals.set(totals);
  tally(count, rowMasses.beta, edges.length - 1, Number(rightOwned));
  const [rightBefore = 0] = totals;
  const [rights = 0] = memory.totals;
  totals.set(memory.totals);
  totals[0] = rightBefore + rights;
  sums.set(memory.sums.subarray(0, sums.length));
  confidences.set(memory.confidences.subarray(0, count), first);
  correct.set(memory.correct.subarray(0, count), first);
  right.set(memory.right.subarray(0, rights), rightBefore);
  wrong.set(memory.wrong.subarray(0, count - rights), first - rightBefore);
}

/** Where the product of the rows' totals is turned into a sum of logarithms. */
const LARGE_PRODUCT = 1e100;

/** One walk over some of the rows for Eq. (ece), Brier (1950) score and log-loss. */
export function tallyRows(growing: GrowingTallies, first: number, last: number) {
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
