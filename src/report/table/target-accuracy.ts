import { mean } from '../../numeric/mean.js';
import type { RunResult } from '../../results/run-schema.js';

export interface TargetAccuracy {
  /** Fractions on the evaluation split, mean over seeds; null without labels. */
  readonly ownBaseAccuracy: number | null;
  readonly accuracy: number | null;
  /** Accuracy minus that of the own base, percentage points. */
  readonly gainPp: number | null;
  /** Mean over seeds of the share of examples on which target and own base differ, in [0, 1]. */
  readonly disagreementRate: number | null;
}

/**
 * Accuracy of one target and its own base and their disagreement, each averaged over seeds. A temperature moves no
 * argmax, so `vanilla` speaks for the target; without it the first method does.
 */
export function targetAccuracy(runs: readonly RunResult[]): TargetAccuracy {
  const method = runs.some((run) => run.method === 'vanilla') ? 'vanilla' : runs[0]?.method;
  const size = runs.find((run) => run.method === method)?.combinationSize;
  const perSeed = runs.filter((run) => run.method === method && run.combinationSize === size);
  const accuracy = meanOf(perSeed.map((run) => run.accuracy));
  const ownBaseAccuracy = meanOf(perSeed.map((run) => run.ownBaseAccuracy));
  return {
    ownBaseAccuracy,
    accuracy,
    gainPp: accuracy === null || ownBaseAccuracy === null ? null : 100 * (accuracy - ownBaseAccuracy),
    disagreementRate: meanOf(perSeed.map((run) => run.disagreementRate)),
  };
}

function meanOf(values: ReadonlyArray<number | null>): number | null {
  return mean(values.filter((value) => value !== null));
}
