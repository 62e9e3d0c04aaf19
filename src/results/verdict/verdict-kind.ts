import type { SummaryRow } from '../summarise-runs.js';
import type { Verdict } from '../verdict-schema.js';
import { asksOtherwise, type Candidate, type JudgedTarget } from './candidates.js';

/** Below this number of labelled examples an ECE tells a calibrated model from another one only where it is bad. */
export const FEWEST_LABELS = 100;

/** The level of the tests. */
const LEVEL = 0.05;

/** A fit on labels is better where its ECE is lower by more than this, in pp, and by more than its error. */
const BETTER_PP = 2;

/** What the numbers of a target come to; `alike` as `alikeMethods` leaves them. */
export function kindOf(
  { candidates, vanilla, labelled, runs }: JudgedTarget,
  alike: readonly Candidate[],
): Verdict['kind'] {
  const [chosen] = alike;
  if (candidates.length === 0) return 'none';
  const row = chosen?.measured;
  if (row == null || row.calibratedPValue === null || labelledCountOf(runs) < FEWEST_LABELS) return 'unknown';
  if (vanilla !== null && showsNoError(vanilla) && vanilla.tiedWithBest !== false) return 'already-calibrated';
  if (vanilla !== null && eceOf(vanilla) <= eceOf(row)) return 'not-enough';
  if (showsNoError(row)) return alike.filter((each) => showsNoError(each.measured)).length > 1 ? 'any-of' : 'use';
  return labelsAreBetter(row, labelled) ? 'not-enough' : 'improves';
}

/** The model as it is has no more error than with the best label-free temperature. */
export function isBestLeft({ vanilla }: JudgedTarget, row: SummaryRow | null): boolean {
  return vanilla !== null && row !== null && eceOf(vanilla) <= eceOf(row);
}

/** The fewest over the splits, of the plain scores. */
export function labelledCountOf(runs: JudgedTarget['runs']): number {
  const counts = runs.filter(({ method }) => !asksOtherwise(method)).map(({ labelledCount }) => labelledCount);
  return counts.length === 0 ? 0 : Math.min(...counts);
}

/** Labelled questions of both sides that leave `FEWEST_LABELS` on the evaluation side, at the share of these splits. */
export function labelsInAll(runs: JudgedTarget['runs']): number {
  const shares = runs
    .filter(({ method, evaluationCount }) => !asksOtherwise(method) && evaluationCount > 0)
    .map(({ calibrationCount, evaluationCount }) => 1 + calibrationCount / evaluationCount);
  return Math.ceil(FEWEST_LABELS * Math.max(1, ...shares));
}

/** Whether a calibrated model would show as much error often enough. */
export function showsNoError(row: SummaryRow | null): boolean {
  return (row?.calibratedPValue ?? 0) >= LEVEL;
}

function labelsAreBetter(row: SummaryRow, labelled: SummaryRow | null): boolean {
  if (labelled === null) return false;
  const less = eceOf(row) - eceOf(labelled);
  return less > BETTER_PP && less > 2 * errorOf(row);
}

/** The total standard error, or about that from the interval where a method is not fitted again on resamples. */
function errorOf({ eceTotalSePp, eceLowPp, eceHighPp }: SummaryRow): number {
  if (eceTotalSePp !== null) return eceTotalSePp;
  return eceLowPp === null || eceHighPp === null ? 0 : (eceHighPp - eceLowPp) / 4;
}

function eceOf({ eceMeanPp }: SummaryRow): number {
  return eceMeanPp ?? Number.POSITIVE_INFINITY;
}
