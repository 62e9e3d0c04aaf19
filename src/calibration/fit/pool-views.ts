import { inBlocks } from '../../numeric/in-blocks.js';
import { longestRow, type RaggedRows } from '../../numeric/ragged-rows.js';
import { zerosBeside } from '../../numeric/shared-array.js';

/**
 * Per example the sum over the references of Eq. (relsupport)'s probabilities of the target's answer less those of the
 * own base's, 0 in A: `high` is the sum as float64 has it, `low` what rounding lost of it, so that sums over examples
 * come out as if every reference had been added by itself.
 */
export interface RowGains {
  readonly high: Float64Array;
  readonly low: Float64Array;
}

/** What the references say of the answers of target and own base, for each of N examples; zeros in A. */
export interface PoolViews {
  /** u_n of Eq. (relsupport) by every reference, in the order of the pool. */
  readonly supports: readonly Float64Array[];
  readonly gains: RowGains;
}

/** Answers of the target and its own base, and the flags of D. */
export interface Answers {
  readonly targetPredictions: Int32Array;
  readonly ownBasePredictions: Int32Array;
  readonly disagreement: Uint8Array;
}

/**
 * Relative supports, Eq. (relsupport), and each example's part in `expectedGain` from one look at every row of every
 * reference: both need its largest logit, and one of the exponentials is the support itself.
 */
export function poolViews(pool: readonly RaggedRows[], answers: Answers): PoolViews {
  const { length } = answers.targetPredictions;
  const column = () => zerosBeside(answers.targetPredictions, Float64Array, length);
  const gains = { high: column(), low: column() };
  const masses = new Float64Array(Math.max(0, ...pool.map(longestRow)));
  const supports = pool.map((logits) => {
    const views = { ...answers, ...gains, support: column(), masses };
    inBlocks(length, (first, last) => addViews(logits, views, first, last));
    return views.support;
  });
  return { supports, gains };
}

interface Views extends Answers, RowGains {
  readonly support: Float64Array;
  /** Room for those of one row. */
  readonly masses: Float64Array;
}

/** One reference on some rows; its part is added to the gains by Neumaier (1974). */
function addViews({ offsets, values }: RaggedRows, views: Views, first: number, last: number): void {
  const { targetPredictions, ownBasePredictions, disagreement, support, high, low, masses } = views;
  for (let n = first; n < last; n++) {
    if (disagreement[n] === 0) continue;
    const start = offsets[n]!;
    const end = offsets[n + 1]!;
    let max = values[start]!;
    for (let k = start + 1; k < end; k++) if (values[k]! > max) max = values[k]!;
    let total = 0;
    for (let k = start; k < end; k++) {
      const gap = values[k]! - max;
      const mass = gap === 0 ? 1 : Math.exp(gap);
      masses[k - start] = mass;
      total += mass;
    }
    const own = masses[targetPredictions[n]!]!;
    support[n] = own;
    const side = own / total - masses[ownBasePredictions[n]!]! / total;
    const before = high[n]!;
    const sum = before + side;
    low[n]! += Math.abs(before) >= Math.abs(side) ? before - sum + side : side - sum + before;
    high[n] = sum;
  }
}
