import { logOddsOfRow } from '../../metrics/log-odds.js';
import { argmaxOfRow } from '../../numeric/argmax.js';
import { firstFrom } from '../../numeric/quantile.js';
import type { RaggedRows } from '../../numeric/ragged-rows.js';
import { clopperPearson } from '../law/beta-law.js';

/** Errors among the surest answers. */
export interface RiskCoveragePoint {
  /** Share of the examples that are answered, in (0, 1]. */
  readonly coverage: number;
  readonly count: number;
  /** The least score that is answered. */
  readonly threshold: number;
  /** Share of wrong answers among them. */
  readonly risk: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Selective prediction: the risk at some coverages (Geifman and El-Yaniv 2017), each with the interval of Clopper and
 * Pearson (1934) of level 1 - 0.05 / points, so that all of them hold at once (Bonferroni). Examples of one score are
 * answered together: a point has the least coverage that is not below the one asked. For a threshold chosen on these
 * data the intervals hold for the coverages asked, not for others.
 *
 * @param scores what answers are ranked by, log odds for one; N of them
 * @param coverages in (0, 1]
 */
export function riskCoverageCurve(
  scores: ArrayLike<number>,
  correct: ArrayLike<number>,
  coverages: readonly number[],
): RiskCoveragePoint[] {
  const ascending = Float64Array.from(scores).sort();
  const wrongAscending = ascendingWrong(scores, correct);
  const scoreAt = (i: number) => ascending[ascending.length - 1 - i] ?? 0;
  return coverages.map((asked) => {
    let count = Math.min(ascending.length, Math.max(1, Math.ceil(asked * ascending.length - 1e-9)));
    while (count < ascending.length && scoreAt(count) === scoreAt(count - 1)) count++;
    const threshold = scoreAt(count - 1);
    const wrong = wrongAscending.length - firstFrom(wrongAscending, threshold);
    return {
      coverage: count / ascending.length,
      count,
      threshold,
      risk: wrong / count,
      ...clopperPearson(wrong, count, 0.05 / coverages.length),
    };
  });
}

function ascendingWrong(scores: ArrayLike<number>, correct: ArrayLike<number>): Float64Array {
  const wrong = new Float64Array(scores.length);
  let count = 0;
  for (let n = 0; n < scores.length; n++) if (!correct[n]) wrong[count++] = scores[n]!;
  return wrong.subarray(0, count).sort();
}

/**
 * ln p_n - ln(1 - p_n) of the top option of softmax(beta d_n), Eq. (ece)'s confidence: -ln sum over the other options
 * of exp(beta d_n[k]), finite where p_n itself rounds to 1, so that sure answers keep their order in AUROC and AURC
 * (`auroc(rankedConfidences(logOdds, correct))`). The order of the top probabilities is the same in exact arithmetic.
 *
 * @param gaps d_n[k] = z_n[k] - max z_n, at least one of each row 0
 * @param inverseTemperature beta; at 0 the odds are 1 to K - 1
 * @returns N numbers; Infinity for a row of one option
 */
export function logOdds(gaps: RaggedRows, inverseTemperature: number): Float64Array {
  const odds = new Float64Array(gaps.rowCount);
  for (let n = 0; n < gaps.rowCount; n++) odds[n] = logOddsOfRow(gaps, n, argmaxOfRow(gaps, n), inverseTemperature);
  return odds;
}

/** ln c - ln(1 - c) of a stated confidence in [0, 1] (the logit, Berkson 1944); -Infinity at 0, Infinity at 1. */
export function logOddsOfConfidence(confidence: number): number {
  return Math.log(confidence) - Math.log1p(-confidence);
}
