import { SupportCalError } from '../../errors/supportcal-error.js';
import { binEdges, binIndex, type EdgeRule } from './binning.js';

/** Numbers kept per bin, side by side, so that adding an example touches one cache line. */
export const BIN_FIELDS = 5;

/**
 * Sums over the examples of B equal-width bins, those of Eq. (ece). Every probability lands in one bin, 0 and 1 too.
 */
export class BinTally {
  readonly edges: Float64Array;
  readonly #rightOwned: boolean;

  /** @param sums BIN_FIELDS numbers per bin, 0 or added to before */
  constructor(
    readonly binCount: number,
    edgeRule: EdgeRule = 'left-owned',
    private readonly sums: Float64Array = new Float64Array(BIN_FIELDS * binCount),
  ) {
    if (!Number.isInteger(binCount) || binCount < 1) {
      throw new SupportCalError('bad-input', {
        field: 'bins',
        message: `expected a whole number above 0, not ${binCount}`,
      });
    }
    this.#rightOwned = edgeRule === 'right-owned';
    this.edges = binEdges(binCount);
  }

  /** `hit` is 1 where the event came true, else 0: a number, since a branch on it would often be guessed wrong. */
  add(confidence: number, hit: number): void {
    const at = BIN_FIELDS * binIndex(confidence, this.edges, this.#rightOwned);
    addConfidence(this.sums, at, confidence);
    addHit(this.sums, at, confidence, hit);
  }

  get counts(): Float64Array {
    return this.#field(0);
  }

  /** Sum of the probabilities q. */
  get confidenceSums(): Float64Array {
    return this.#field(1);
  }

  /** How often the event came true. */
  get hits(): Float64Array {
    return this.#field(2);
  }

  /** Sum of q^2, and of q where the event came true: what the residual terms of the Brier score need. */
  get squareSums(): Float64Array {
    return this.#field(3);
  }

  get hitConfidenceSums(): Float64Array {
    return this.#field(4);
  }

  /** Eq. (ece): sum over the bins of |hits - summed confidence| / N, in [0, 1]; an empty bin adds 0. */
  get expectedError(): number {
    const { hits, confidenceSums } = this;
    let sum = 0;
    for (let b = 0; b < this.binCount; b++) sum += Math.abs(hits[b]! - confidenceSums[b]!);
    return sum / this.counts.reduce((total, count) => total + count, 0);
  }

  #field(field: number): Float64Array {
    const values = new Float64Array(this.binCount);
    for (let b = 0; b < this.binCount; b++) values[b] = this.sums[BIN_FIELDS * b + field]!;
    return values;
  }
}

/** Adds an example of Eq. (ece) to the bin whose sums begin at `at`, but for whether its event came true. */
export function addConfidence(sums: Float64Array, at: number, confidence: number): void {
  sums[at]!++;
  sums[at + 1]! += confidence;
  sums[at + 3]! += confidence * confidence;
}

/** The rest of the same example of Eq. (ece). */
export function addHit(sums: Float64Array, at: number, confidence: number, hit: number): void {
  sums[at + 2]! += hit;
  sums[at + 4]! += hit * confidence;
}
