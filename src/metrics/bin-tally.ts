import { SupportCalError } from '../errors/supportcal-error.js';
import { binEdge, binIndex, type EdgeRule } from './binning.js';

/** Sums over the examples of B equal-width bins. Every probability lands in one bin, 0 and 1 too. */
export class BinTally {
  readonly edges: Float64Array;
  readonly counts: Float64Array;
  /** Sum of the probabilities q. */
  readonly confidenceSums: Float64Array;
  /** How often the event came true. */
  readonly hits: Float64Array;
  /** Sum of q^2, and of q where the event came true: what the residual terms of the Brier score need. */
  readonly squareSums: Float64Array;
  readonly hitConfidenceSums: Float64Array;
  readonly #rightOwned: boolean;

  constructor(
    readonly binCount: number,
    edgeRule: EdgeRule = 'left-owned',
  ) {
    if (!Number.isInteger(binCount) || binCount < 1) {
      throw new SupportCalError('bad-input', {
        field: 'bins',
        message: `expected a whole number above 0, not ${binCount}`,
      });
    }
    this.#rightOwned = edgeRule === 'right-owned';
    this.edges = Float64Array.from({ length: binCount + 1 }, (_, b) => binEdge(b, binCount));
    this.counts = new Float64Array(binCount);
    this.confidenceSums = new Float64Array(binCount);
    this.hits = new Float64Array(binCount);
    this.squareSums = new Float64Array(binCount);
    this.hitConfidenceSums = new Float64Array(binCount);
  }

  add(confidence: number, hit: boolean): void {
    const bin = binIndex(confidence, this.edges, this.#rightOwned);
    this.counts[bin]!++;
    this.confidenceSums[bin]! += confidence;
    this.squareSums[bin]! += confidence * confidence;
    if (hit) {
      this.hits[bin]!++;
      this.hitConfidenceSums[bin]! += confidence;
    }
  }

  get total(): number {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }

  /** Eq. (ece): sum over the bins of |hits - summed confidence| / N, in [0, 1]; an empty bin adds 0. */
  get expectedError(): number {
    let sum = 0;
    for (let b = 0; b < this.binCount; b++) sum += Math.abs(this.hits[b]! - this.confidenceSums[b]!);
    return sum / this.total;
  }
}
