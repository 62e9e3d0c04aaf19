import { mean } from '../../numeric/mean.js';
import type { RunResult } from '../results-schema.js';
import type { PaperRow } from './paper-table.js';

/**
 * Accuracy of one target and its own base and their disagreement, each averaged over seeds. A temperature moves no
 * argmax, so `vanilla` speaks for the target; without it the first method does.
 */
export function targetAccuracy(
  runs: readonly RunResult[],
): Pick<PaperRow, 'ownBaseAccuracy' | 'accuracy' | 'gainPp' | 'disagreementRate'> {
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
