import { confidenceGroups, type RankedConfidences } from './bins/ranked-confidences.js';

/**
 * Area under the ROC curve of confidence as a score for "the prediction is right": the chance that a right prediction
 * has more confidence than a wrong one, ties counting one half (midranks; Hanley and McNeil 1982). null when all are
 * right or all are wrong.
 */
export function auroc(ranked: RankedConfidences): number | null {
  const pairs = ranked.right.length * ranked.wrong.length;
  if (pairs === 0) return null;
  let wins = 0;
  let wrongBelow = 0;
  const { count, rights, wrongs } = confidenceGroups(ranked);
  for (let g = 0; g < count; g++) {
    const wrong = wrongs[g]!;
    wins += rights[g]! * (wrongBelow + wrong / 2);
    wrongBelow += wrong;
  }
  return wins / pairs;
}
