/** Confidences of right and of wrong predictions, each ascending: all that rank-based metrics need. */
export interface RankedConfidences {
  readonly right: Float64Array;
  readonly wrong: Float64Array;
}

/** Parts and sorts N confidences by whether the prediction is right. */
export function rankedConfidences(
  confidences: ArrayLike<number>,
  correct: ArrayLike<number | boolean>,
): RankedConfidences {
  const side = (wanted: boolean) =>
    Float64Array.from(confidences)
      .filter((_, n) => Boolean(correct[n]) === wanted)
      .sort();
  return { right: side(true), wrong: side(false) };
}

/** Visits every distinct confidence in ascending order with how many right and wrong predictions have it. */
export function eachConfidence(
  { right, wrong }: RankedConfidences,
  visit: (confidence: number, rights: number, wrongs: number) => void,
): void {
  let r = 0;
  let w = 0;
  while (r < right.length || w < wrong.length) {
    const confidence = Math.min(right[r] ?? Number.POSITIVE_INFINITY, wrong[w] ?? Number.POSITIVE_INFINITY);
    const firstRight = r;
    const firstWrong = w;
    while (right[r] === confidence) r++;
    while (wrong[w] === confidence) w++;
    visit(confidence, r - firstRight, w - firstWrong);
  }
}
