/**
 * Room to rank N confidences in, used again by every evaluation of the same examples: large arrays that are made anew
 * each time are a fifth of the time of a million examples. What stands in it is valid until the next evaluation.
 */
export interface RankingSpace {
  /** Confidences of right and of wrong predictions as they come, and in ascending order. */
  readonly right: Float64Array;
  readonly wrong: Float64Array;
  readonly sortedRight: Float64Array;
  readonly sortedWrong: Float64Array;
  /** For `ConfidenceGroups`. */
  readonly confidences: Float64Array;
  readonly rights: Int32Array;
  readonly wrongs: Int32Array;
}

export function rankingSpace(count: number): RankingSpace {
  const numbers = () => new Float64Array(count);
  return {
    right: numbers(),
    wrong: numbers(),
    sortedRight: numbers(),
    sortedWrong: numbers(),
    confidences: numbers(),
    rights: new Int32Array(count),
    wrongs: new Int32Array(count),
  };
}
