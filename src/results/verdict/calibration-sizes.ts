import type { Results } from '../results-schema.js';
import type { Verdict } from '../verdict-schema.js';
import type { Candidate, JudgedResults } from './candidates.js';

/** Differences of ECE below this, in percentage points, are no reason to label anything. */
const NOTABLE_PP = 0.5;

type Points = NonNullable<NonNullable<Results['diagnostics']>['sampleSize']>[number]['points'];

/** How many questions a temperature needs without labels, and how many with: from the curves of the diagnostics. */
export function calibrationSizes(
  { diagnostics }: JudgedResults,
  dataset: string,
  { method, combinationSize, measured, runs }: Candidate,
): Verdict['sizes'] {
  const target = runs[0]?.target;
  const of = (name: string, size: number | null) =>
    diagnostics?.sampleSize?.find(
      (each) =>
        each.dataset === dataset && each.target === target && each.method === name && each.combinationSize === size,
    )?.points ?? [];
  const [free, labelled] = [of(method, combinationSize), of('oracle-ts', null)];
  const reached = free.at(-1)?.eceMean ?? null;
  // Methods without a curve are compared by their ECE in the tables, which is of more examples.
  const level = reached === null ? (measured?.eceMeanPp ?? null) : 100 * reached;
  if (level === null || labelled.length === 0) return null;
  const notable = NOTABLE_PP;
  return {
    unlabelledEnough: smallestBelow(free, level + notable),
    labelsAsGood: smallestBelow(labelled, level + notable),
    labelsBetter: smallestBelow(labelled, level - notable),
    tried: Math.round(Math.max(...labelled.map(({ calibrationCount }) => calibrationCount))),
  };
}

/** The smallest calibration size from which on the ECE stays at or below a level; null: the largest is above it. */
function smallestBelow(points: Points, level: number): number | null {
  const above = points.findLastIndex(({ eceMean }) => eceMean === null || 100 * eceMean > level);
  const first = points[above + 1];
  return first === undefined ? null : Math.round(first.calibrationCount);
}
