import { floorOfShare } from '../../numeric/floor-of-share.js';
import { SHUFFLE_GENERATOR, shuffle } from '../../numeric/random/shuffle.js';
import type { CalibrationSplit, SplitWeights } from '../open-split.js';

/** Inclusion fractions of the reintroduction curve (Fig. 2). */
export const INCLUSION_FRACTIONS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1] as const;

/** Which disagreement examples come first, in words for reports. */
export const REINTRODUCTION_ORDER =
  `floor(fraction x |D|) examples of D, the first of an order of D (by id) drawn by ${SHUFFLE_GENERATOR} with the ` +
  "split's seed: a larger fraction keeps the examples of a smaller one";

/**
 * Gives examples of D back to the objective, share by share (Fig. 2): all of A keeps its weights, of D the first
 * floor(fraction x |D|) of a seeded order keep theirs, the rest get 0. Fraction 0 is DACA; fraction 1 leaves the
 * weights as they are: with unit weights that is full KL.
 */
export function reintroduction(
  split: CalibrationSplit,
  seed: number,
): (given: SplitWeights, fraction: number) => SplitWeights {
  const { disagreement } = split;
  const order = shuffle(disagreement.length, seed);
  return ({ weights, logWeights }, fraction) => {
    const left = order.subarray(floorOfShare(fraction, disagreement.length));
    const without = (values: Float64Array, nothing: number) => {
      const kept = values.slice();
      for (const d of left) kept[disagreement[d]!] = nothing;
      return kept;
    };
    return {
      weights: without(weights, 0),
      logWeights: logWeights && (() => without(logWeights(), Number.NEGATIVE_INFINITY)),
    };
  };
}

/** Weight 1 on every example of the split: full KL, the other curve of Fig. 2. */
export function unitWeights({ count }: CalibrationSplit): SplitWeights {
  return { weights: new Float64Array(count).fill(1) };
}
