import { eachConfidence, type RankedConfidences } from './ranked-confidences.js';

/**
 * Area under the ROC curve of confidence as a score for "the prediction is right": the chance that a right prediction
 * has more confidence than a wrong one, ties counting one half (midranks). null when all are right or all are wrong.
 */
export function auroc(ranked: RankedConfidences): number | null {
  const pairs = ranked.right.length * ranked.wrong.length;
  if (pairs === 0) return null;
  let wins = 0;
  let wrongBelow = 0;
  eachConfidence(ranked, (_, rights, wrongs) => {
    wins += rights * (wrongBelow + wrongs / 2);
    wrongBelow += wrongs;
  });
  return wins / pairs;
}
