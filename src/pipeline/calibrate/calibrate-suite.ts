import { planOn } from '../../config/plan-suite.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import { type CollectedScores, collectScores } from '../collect/collect-scores.js';
import { type ModelPlan, plainEntries } from '../score/score-plan.js';
import type { Workspace } from '../workspace/workspace.js';
import { type DatasetCalibration, openDataset } from './calibrate-dataset.js';
import { helpersFor, openThreads } from './split-threads.js';

/** One data set of the suite with what came of it. */
export interface CalibratedDataset {
  readonly collected: CollectedScores;
  readonly calibration: DatasetCalibration;
}

export interface CalibratedSuite {
  /** In the order of the suite. */
  readonly datasets: readonly CalibratedDataset[];
  readonly models: Diagnostics['models'];
}

/**
 * Calibrates one data set after the other, with helping threads where they pay. Threads begin while scores are joined,
 * and models are described when the threads have work.
 *
 * @param reasons why a model that should have been scored was not, by model
 * @throws SupportCalError interrupted, between two targets, when the signal fires
 */
export async function calibrateSuite(
  workspace: Workspace,
  plans: readonly ModelPlan[],
  reasons: ReadonlyMap<string, string>,
  signal?: AbortSignal,
): Promise<CalibratedSuite> {
  const { suite, datasets, options } = workspace;
  const threads = openThreads(helpersFor(suite, plannedSizes(datasets, plans), options.threads));
  try {
    const collected = datasets.map((each) => collectScores(workspace, each, plans, reasons));
    let described: Diagnostics['models'] | undefined;
    const describe = () => {
      described ??= collected.flatMap((each) => each.describe());
      return described;
    };
    const beforeTarget = async () => {
      describe();
      // A signal is heard of only when this thread lets go for a moment.
      await new Promise((resolve) => setImmediate(resolve));
      if (signal?.aborted) throw new SupportCalError('interrupted', 'calibration was interrupted');
    };
    const opened = collected.map((each) => ({
      collected: each,
      finish: openDataset({ suite: planOn(suite, each.dataset), scores: each.scores, asked: each.asked }, threads),
    }));
    const calibrated: CalibratedDataset[] = [];
    for (const { collected: own, finish } of opened)
      calibrated.push({ collected: own, calibration: await finish(beforeTarget) });
    return { datasets: calibrated, models: describe() };
  } finally {
    await threads.close();
  }
}

/** Rows of every data set that the cache has, before they are joined. */
function plannedSizes(datasets: Workspace['datasets'], plans: readonly ModelPlan[]) {
  return datasets.map(({ spec }) => {
    const rows = plans.map((each) => {
      const entry = plainEntries(each).get(spec.id);
      return entry?.kind === 'ready' ? entry.table.ids.length : 0;
    });
    return { dataset: spec.id, examples: Math.max(0, ...rows) };
  });
}
