import type { Results } from '../../results/results-schema.js';
import { verdictsOf } from '../../results/verdict/verdicts-of.js';
import type { Verdict } from '../../results/verdict-schema.js';
import { formatPercent } from '../text/format-number.js';

/** The verdicts of a run; those of a file that has none are made from its numbers. */
export function verdictsIn(results: Results): readonly Verdict[] {
  return results.verdicts ?? verdictsOf(results);
}

/** The verdict that a reader is shown first: the largest ECE before calibration, which is where it matters most. */
export function leadVerdict(verdicts: readonly Verdict[]): Verdict | null {
  const [first = null] = verdicts.toSorted((a, b) => (b.before?.ecePp ?? -1) - (a.before?.ecePp ?? -1));
  return first;
}

/** What the model claims, how often it is right, and what it claims when calibrated, in one sentence. */
export function claimSentence(verdict: Verdict, sole: boolean): string | null {
  const { target, dataset, claimedBefore, accuracy, claimedAfter, use } = verdict;
  if (claimedBefore === null) return null;
  const where = sole ? '' : ` on ${dataset}`;
  const truth = accuracy === null ? '' : ` and is right in ${percent(accuracy)}`;
  const after = use === null || claimedAfter === null ? '' : `; calibrated it claims ${percent(claimedAfter)}`;
  return `${target} claims ${percent(claimedBefore)}${where}${truth}${after}.`;
}

function percent(fraction: number): string {
  return `${formatPercent(fraction, 0)}\u00a0%`;
}
