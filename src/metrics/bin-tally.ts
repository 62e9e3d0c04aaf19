import { SupportCalError } from '../errors/supportcal-error.js';
import { binEdge, binIndex } from './bin-index.js';

/** Counts, summed confidence and summed hits of B equal-width bins. Every confidence lands in one bin, 0 and 1 too. */
export class BinTally {
  readonly edges: Float64Array;
  readonly counts: Float64Array;
  readonly confidenceSums: Float64Array;
  readonly hits: Float64Array;

  constructor(readonly binCount: number) {
    if (!Number.isInteger(binCount) || binCount < 1) {
      throw new SupportCalError('bad-input', {
        field: 'bins',
        message: `expected a whole number above 0, not ${binCount}`,
      });
    }
    this.edges = Float64Array.from({ length: binCount + 1 }, (_, b) => binEdge(b, binCount));
    this.counts = new Float64Array(binCount);
    this.confidenceSums = new Float64Array(binCount);
    this.hits = new Float64Array(binCount);
  }

  add(confidence: number, hit: boolean): void {
    const bin = binIndex(confidence, this.edges);
    this.counts[bin]!++;
    this.confidenceSums[bin]! += confidence;
    if (hit) this.hits[bin]!++;
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
