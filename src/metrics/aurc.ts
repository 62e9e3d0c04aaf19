import { confidenceGroups, type RankedConfidences } from './bins/ranked-confidences.js';

export interface RiskCoverage {
  readonly aurc: number;
  readonly excessAurc: number;
}

/**
 * Area under the risk-coverage curve (Geifman and El-Yaniv 2017): (1/N) sum_i (errors among the i most confident) / i,
 * in [0, 1], lower is better. Examples of equal confidence come in random order, and the expectation over it is taken.
 * Excess AURC (Geifman, Uziel and El-Yaniv 2019) is AURC minus that of the same predictions with all right ones first,
 * which is the exact sum here (they approximate it by r + (1 - r) ln(1 - r)); 0 is a perfect ranking.
 */
export function riskCoverage(ranked: RankedConfidences): RiskCoverage {
  const count = ranked.right.length + ranked.wrong.length;
  const groups = confidenceGroups(ranked);
  let covered = count;
  let errors = ranked.wrong.length;
  let sum = 0;
  // From the least confident up: what is still covered when a group of equal confidences is left out.
  for (let g = 0; g < groups.count; g++) {
    const wrongs = groups.wrongs[g]!;
    const group = groups.rights[g]! + wrongs;
    covered -= group;
    errors -= wrongs;
    for (let j = group; j > 0; j--) sum += (errors + (j * wrongs) / group) / (covered + j);
  }
  let best = 0;
  for (let j = ranked.wrong.length; j > 0; j--) best += j / (ranked.right.length + j);
  return { aurc: sum / count, excessAurc: Math.max(0, (sum - best) / count) };
}
