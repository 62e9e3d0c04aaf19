import { CompensatedSum } from '../../numeric/compensated-sum.js';
import { expOfGap } from '../../numeric/exp-of-gap.js';
import { inBlocks } from '../../numeric/in-blocks.js';
import { walkRows } from '../../numeric/kernels/row-kernels.js';
import type { RaggedRows } from '../../numeric/ragged-rows.js';
import { zerosBeside } from '../../numeric/shared-array.js';

export interface MeanDoubt {
  /** Mean over the rows of 1 - max_k softmax(beta d_n)[k], in [0, 1): exact where a confidence rounds to 1. */
  readonly doubt: number;
  /** Its derivative in beta, 0 or below. */
  readonly derivative: number;
}

/**
 * One less the mean confidence of softmax(beta d_n), for rows of gaps d (each with a largest of exactly 0, as
 * `logitGaps` makes them) and beta 0 or above. With S = sum_k exp(beta d_k), a row's confidence is 1/S and its doubt
 * (S - 1)/S, where S - 1 is summed without the top option. NaN for no rows. 1 - this is AC of Garg et al. 2022.
 */
export function meanDoubt(gaps: RaggedRows, beta: number): MeanDoubt {
  const sums = new Float64Array(4);
  walkRows(
    gaps,
    ({ memory, addDoubts }, first, last) => {
      memory.totals.set(sums);
      addDoubts(last - first, beta);
      sums.set(memory.totals);
    },
    (first, last) => addRows(gaps, { beta, sums }, first, last),
  );
  return { doubt: sumAt(sums, 0) / gaps.rowCount, derivative: sumAt(sums, 2) / gaps.rowCount };
}

function sumAt(sums: Float64Array, at: number): number {
  const sum = sums[at]!;
  return Number.isFinite(sum) ? sum + sums[at + 1]! : sum;
}

interface Sums {
  readonly beta: number;
  /** The sum of doubts and that of derivatives, as Neumaier (1974) takes them, each with what it lost behind it. */
  readonly sums: Float64Array;
}

function addRows({ offsets, values }: RaggedRows, { beta, sums }: Sums, from: number, to: number): void {
  for (let n = from; n < to; n++) {
    let others = -1;
    let rest = 0;
    let first = 0;
    for (let k = offsets[n]!; k < offsets[n + 1]!; k++) {
      const gap = values[k]!;
      if (gap === 0) others++;
      else {
        const mass = expOfGap(beta * gap);
        rest += mass;
        first += mass * gap;
      }
    }
    rest += others;
    const total = 1 + rest;
    addTerm(sums, 0, rest / total);
    addTerm(sums, 2, first / (total * total));
  }
}

function addTerm(sums: Float64Array, at: number, term: number): void {
  const sum = sums[at]!;
  const next = sum + term;
  sums[at + 1]! += Math.abs(sum) >= Math.abs(term) ? sum - next + term : term - next + sum;
  sums[at] = next;
}

/**
 * 1 - max_k softmax(v_n)[k] of every row of logits v: the rows' part in the doubt of `meanDoubt` (1 - AC of Garg et al.
 * 2022) at beta = 1, to the bit.
 */
export function rowDoubts(logits: RaggedRows): Float64Array {
  const doubts = zerosBeside(logits.values, Float64Array, logits.rowCount);
  inBlocks(logits.rowCount, (first, last) => writeDoubts(logits, doubts, first, last));
  return doubts;
}

function writeDoubts({ offsets, values }: RaggedRows, doubts: Float64Array, from: number, to: number): void {
  for (let n = from; n < to; n++) {
    const end = offsets[n + 1]!;
    let max = Number.NEGATIVE_INFINITY;
    for (let k = offsets[n]!; k < end; k++) if (values[k]! > max) max = values[k]!;
    let others = -1;
    let rest = 0;
    for (let k = offsets[n]!; k < end; k++) {
      const gap = values[k]! - max;
      if (gap === 0) others++;
      else rest += expOfGap(gap);
    }
    rest += others;
    doubts[n] = rest / (1 + rest);
  }
}

/**
 * The limit of `meanDoubt` (1 - AC of Garg et al. 2022) for beta to infinity: a row with t options tied at the top
 * keeps (t - 1)/t.
 */
export function leastDoubt({ rowCount, offsets, values }: RaggedRows): number {
  const doubt = new CompensatedSum();
  for (let n = 0; n < rowCount; n++) {
    let top = 0;
    for (let k = offsets[n]!; k < offsets[n + 1]!; k++) if (values[k] === 0) top++;
    doubt.add((top - 1) / top);
  }
  return doubt.value / rowCount;
}
