import { BinTally } from '../bins/bin-tally.js';
import { type Binning, binIndex } from '../bins/binning.js';
import { equalMassSize } from '../bins/equal-mass-bins.js';

/**
 * What ECE is made of: residuals (correct - confidence) grouped by bin. Bin b holds entries starts[b] .. starts[b + 1]
 * - 1; the absolute sums of the bins add up to N x ECE. An example whose confidence is tied over the border of
 * equal-mass bins has an entry in each of them, its residual shared out.
 */
export interface BinResiduals {
  /** Which example an entry belongs to, counted along the confidences. */
  readonly examples: Int32Array;
  readonly residuals: Float64Array;
  /** What part of its example an entry is; null: all are whole. */
  readonly shares: Float64Array | null;
  readonly starts: Int32Array;
}

/** Puts N residuals into the bins of Eq. (ece). */
export function binResiduals(
  confidences: Float64Array,
  correct: ArrayLike<number>,
  { bins, binEdges, edgeRule }: Binning,
): BinResiduals {
  if (binEdges === 'equal-mass') return equalMassResiduals(confidences, correct, bins);
  const { edges } = new BinTally(bins, edgeRule);
  const binOf = confidences.map((confidence) => binIndex(confidence, edges, edgeRule === 'right-owned'));
  const starts = new Int32Array(bins + 1);
  for (const bin of binOf) starts[bin + 1]!++;
  for (let b = 0; b < bins; b++) starts[b + 1]! += starts[b]!;
  const next = starts.slice();
  const examples = new Int32Array(confidences.length);
  const residuals = new Float64Array(confidences.length);
  for (const [n, confidence] of confidences.entries()) {
    const entry = next[binOf[n]!]!++;
    examples[entry] = n;
    residuals[entry] = correct[n]! - confidence;
  }
  return { examples, residuals, shares: null, starts };
}

function equalMassResiduals(confidences: Float64Array, correct: ArrayLike<number>, bins: number): BinResiduals {
  const count = confidences.length;
  const ordered = Array.from(confidences, (confidence, n) => ({ n, confidence, hit: correct[n]! }));
  ordered.sort((a, b) => a.confidence - b.confidence || a.n - b.n);
  const entries: [number, number, number][] = [];
  const starts = new Int32Array(bins + 1);
  let bin = 0;
  let room = equalMassSize(0, count, bins);
  for (let first = 0, end = 0; first < count; first = end) {
    const confidence = ordered[first]?.confidence;
    while (end < count && ordered[end]?.confidence === confidence) end++;
    const group = ordered.slice(first, end);
    let left = end - first;
    while (left > 0) {
      const taken = Math.min(left, room);
      const share = taken / (end - first);
      if (taken > 0) {
        for (const each of group) entries.push([each.n, share * (each.hit - each.confidence), share]);
      }
      left -= taken;
      room -= taken;
      starts[bin + 1] = entries.length;
      if (room === 0 && bin + 1 < bins) room = equalMassSize(++bin, count, bins);
    }
  }
  for (let b = 0; b < bins; b++) starts[b + 1] = Math.max(starts[b + 1]!, starts[b]!);
  return {
    examples: Int32Array.from(entries, ([example]) => example),
    residuals: Float64Array.from(entries, ([, residual]) => residual),
    shares: Float64Array.from(entries, ([, , share]) => share),
    starts,
  };
}
