import { planOn } from '../../config/plan-suite.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import { type CollectedScores, collectScores } from '../collect/collect-scores.js';
import { type ModelPlan, plainEntries } from '../score/score-plan.js';
import type { PipelineEvents } from '../workspace/pipeline-events.js';
import type { Workspace } from '../workspace/workspace.js';
import { type DatasetCalibration, openDataset } from './calibrate-dataset.js';
import { KeptCalibrations } from './kept-calibration.js';
import { measureElsewhere } from './measure-elsewhere.js';
import { helpersFor, openThreads, type SplitThreads } from './split-threads.js';

/** One data set of the suite with what came of it. */
export interface CalibratedDataset {
  readonly collected: CollectedScores;
  readonly calibration: DatasetCalibration;
}

export interface CalibratedSuite {
  /** In the order of the suite. */
  readonly datasets: readonly CalibratedDataset[];
  readonly models: Diagnostics['models'];
  /** Resolves when later runs can take the calibrations. */
  readonly kept: Promise<void>;
}

/** Who hears of a calibration, and how it is stopped. */
export interface CalibrationContext {
  readonly onLog?: PipelineEvents['onLog'];
  readonly signal?: AbortSignal | undefined;
  /** Threads that are there already, which the caller closes too. */
  readonly early?: SplitThreads | undefined;
  /** Called when the threads have begun: what this thread can do by the way. */
  readonly meanwhile?: (collected: readonly CollectedScores[]) => void;
}

/**
 * Calibrates one data set after the other, with helping threads where they pay. Threads begin while scores are joined,
 * and models are described and their habits looked for when the threads have work. What an earlier run made of the same
 * input is taken in place of it.
 *
 * @param reasons why a model that should have been scored was not, by model
 * @throws SupportCalError interrupted, between two targets, when the signal fires
 */
export async function calibrateSuite(
  workspace: Workspace,
  plans: readonly ModelPlan[],
  reasons: ReadonlyMap<string, string>,
  { onLog, signal, early, meanwhile }: CalibrationContext = {},
): Promise<CalibratedSuite> {
  const { suite, datasets, options } = workspace;
  const earlier = new KeptCalibrations({ cache: options.cache, onLog });
  const open = () => {
    const count = helpersFor(suite, plannedSizes(datasets, plans), options.threads);
    return early?.resize(count) ?? openThreads(count, suite);
  };
  const specs = datasets.map(({ spec }) => spec.id);
  let threads = earlier.mayHave(suite, specs) ? undefined : open();
  try {
    const collected = datasets.map((each) => collectScores(workspace, each, plans, reasons));
    let described: Diagnostics['models'] | undefined;
    const describe = () => {
      described ??= collected.flatMap((each) => each.describe());
      return described;
    };
    let measuring: readonly Promise<void>[] = [];
    const beforeTarget = async () => {
      // What others measure is described in the end.
      if (measuring.length === 0) {
        describe();
        for (const each of collected) each.health();
      }
      if (threads !== undefined) for (const input of inputs) earlier.prepare(input);
      meanwhile?.(collected);
      // A signal is heard of only when this thread lets go for a moment.
      await new Promise((resolve) => setImmediate(resolve));
      if (signal?.aborted) throw new SupportCalError('interrupted', 'calibration was interrupted');
    };
    const inputs = collected.map(({ dataset, scores, asked }) => ({ suite: planOn(suite, dataset), scores, asked }));
    const found = await Promise.all(inputs.map((input) => earlier.find(input)));
    if (found.includes(null)) threads ??= open();
    if (found.includes(null))
      measuring = collected.flatMap(({ models }) => measureElsewhere(models, threads?.helpers) ?? []);
    const opened = inputs.map((input, d) => found[d] ?? openDataset(input, threads));
    const calibrated: CalibratedDataset[] = [];
    for (const [d, finish] of opened.entries()) {
      const calibration = typeof finish === 'function' ? await finish(beforeTarget) : finish;
      if (typeof finish === 'function') earlier.keep(inputs[d]!, calibration);
      calibrated.push({ collected: collected[d]!, calibration });
    }
    await Promise.all(measuring);
    return { datasets: calibrated, models: describe(), kept: earlier.settle() };
  } finally {
    // They end by themselves while results are written.
    void threads?.close();
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
