import { Scratch } from '../../numeric/scratch.js';

/** Confidences of right and of wrong predictions, each ascending: all that rank-based metrics need. */
export interface RankedConfidences {
  readonly right: Float64Array;
  readonly wrong: Float64Array;
  /** Where the groups are put; default: new arrays. */
  readonly scratch?: Scratch;
}

/**
 * Parts and sorts N confidences by whether the prediction is right: the two samples of AUROC (Hanley and McNeil 1982).
 */
export function rankedConfidences(
  confidences: ArrayLike<number>,
  correct: ArrayLike<number | boolean>,
): RankedConfidences {
  const [right, wrong] = [new Float64Array(confidences.length), new Float64Array(confidences.length)];
  let rights = 0;
  for (let n = 0; n < confidences.length; n++) {
    if (correct[n]) right[rights++] = confidences[n]!;
    else wrong[n - rights] = confidences[n]!;
  }
  return {
    right: right.subarray(0, rights).sort(),
    wrong: wrong.subarray(0, confidences.length - rights).sort(),
  };
}

/**
 * Both samples of AUROC (Hanley and McNeil 1982) by ranks in place of confidences. Ranks above 1 stand for the largest
 * confidences, in another order; all others are the confidences, so that only the end of each side is sorted again.
 */
export function rankedAbove(
  { right, wrong }: RankedConfidences,
  ranks: Float64Array,
  correct: Uint8Array,
): RankedConfidences {
  const above: { readonly right: number[]; readonly wrong: number[] } = { right: [], wrong: [] };
  for (let n = 0; n < ranks.length; n++)
    if (ranks[n]! > 1) (correct[n] === 1 ? above.right : above.wrong).push(ranks[n]!);
  return { right: endReplaced(right, above.right), wrong: endReplaced(wrong, above.wrong) };
}

function endReplaced(ascending: Float64Array, end: readonly number[]): Float64Array {
  const replaced = ascending.slice();
  replaced.set(Float64Array.from(end).sort(), ascending.length - end.length);
  return replaced;
}

/** The distinct confidences in ascending order, each with how many right and wrong predictions have it. */
export interface ConfidenceGroups {
  readonly count: number;
  readonly confidences: Float64Array;
  readonly rights: Int32Array;
  readonly wrongs: Int32Array;
}

/** Several metrics of the same predictions walk over the same groups. */
const known = new WeakMap<RankedConfidences, ConfidenceGroups>();

/**
 * Merges both sides into groups of ties (Hanley and McNeil 1982), once per object. Arrays are longer than `count`: no
 * callback, which would box a number per example.
 */
export function confidenceGroups(ranked: RankedConfidences): ConfidenceGroups {
  const groups = known.get(ranked) ?? merge(ranked);
  known.set(ranked, groups);
  return groups;
}

function merge({ right, wrong, scratch = new Scratch() }: RankedConfidences): ConfidenceGroups {
  const most = right.length + wrong.length;
  const confidences = scratch.float64('distinct', most);
  const rights = scratch.int32('rights', most);
  const wrongs = scratch.int32('wrongs', most);
  let [r, w, count] = [0, 0, 0];
  while (r < right.length || w < wrong.length) {
    const fromRight = w === wrong.length || (r < right.length && right[r]! <= wrong[w]!);
    const confidence = fromRight ? right[r]! : wrong[w]!;
    const firstRight = r;
    const firstWrong = w;
    while (r < right.length && right[r] === confidence) r++;
    while (w < wrong.length && wrong[w] === confidence) w++;
    confidences[count] = confidence;
    rights[count] = r - firstRight;
    wrongs[count++] = w - firstWrong;
  }
  return { count, confidences, rights, wrongs };
}
