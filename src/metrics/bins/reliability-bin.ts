/** One bin of a reliability diagram; the means are null in an empty bin. */
export interface ReliabilityBin {
  readonly lower: number;
  readonly upper: number;
  readonly count: number;
  /** Share of right predictions, in [0, 1]. */
  readonly accuracy: number | null;
  /** Mean confidence (not the middle of the bin), in [0, 1]. */
  readonly confidence: number | null;
  /** Confidence minus accuracy, in [-1, 1]; above 0 the model is over-confident here. */
  readonly overconfidence: number | null;
}

/** One bin of Fig. 1 and Eq. (ece) from its sums. */
export function reliabilityBin(
  [lower, upper]: readonly [number, number],
  count: number,
  hits: number,
  confidenceSum: number,
): ReliabilityBin {
  if (count === 0) return { lower, upper, count, accuracy: null, confidence: null, overconfidence: null };
  const [accuracy, confidence] = [hits / count, confidenceSum / count];
  return { lower, upper, count, accuracy, confidence, overconfidence: confidence - accuracy };
}
