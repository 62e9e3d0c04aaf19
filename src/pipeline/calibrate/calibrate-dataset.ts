import { exampleSplitter, type Split } from '../../calibration/split-examples.js';
import type { SuitePlan } from '../../config/plan-suite.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { RunResult } from '../../results/run-schema.js';
import type { EceInterval } from '../../results/summarise-runs.js';
import type { CollectedElicitation } from '../asking/elicited-scores.js';
import type { CollectedRotations } from '../asking/rotation-scores.js';
import { BootstrapPool } from '../bootstrap/bootstrap-pool.js';
import { type Comparison, compareMethods, eceIntervals } from '../bootstrap/compare-methods.js';
import { exampleClusters } from '../bootstrap/example-clusters.js';
import { ReliabilityPool } from '../bootstrap/reliability-pool.js';
import { binResampleCount, resampleCount } from '../bootstrap/resample-count.js';
import { DatasetDiagnostics } from '../diagnostics/dataset-diagnostics.js';
import { type PickedExample, tellingExamples } from '../diagnostics/telling-examples.js';
import type { DatasetScores } from '../join/dataset-scores.js';
import { type AlignedOffer, offeredTargets, rowsOfSplit } from './offered-targets.js';
import { referenceWarnings } from './reference-warnings.js';
import { finishTarget, type SplitThreads } from './split-threads.js';
import { type DatasetSplits, datasetJson } from './splits-json.js';

/** Below this number of evaluation examples a warning says what an ECE is worth. */
const FEW_EXAMPLES = 300;

export interface DatasetCalibration {
  readonly runs: readonly RunResult[];
  readonly splits: DatasetSplits;
  readonly reliability: Diagnostics['reliability'];
  readonly diagnostics: ReturnType<DatasetDiagnostics['lists']>;
  /** Taken from the split of the first seed. */
  readonly examples: readonly PickedExample[];
  readonly intervals: readonly EceInterval[];
  readonly comparisons: readonly Comparison[];
  /** Bootstrap resamples behind them; 0: none were made. */
  readonly resamples: number;
  /** Targets that could not be calibrated at all, with the reason. */
  readonly skipped: ReadonlyArray<{ readonly model: string; readonly example: null; readonly reason: string }>;
  readonly warnings: readonly string[];
}

/** Up to this many examples, the memory of all targets at a time is little. */
const MOST_AHEAD = 10_000;

/** The rest of a data set's work; `meanwhile` is what this thread can do when the threads have begun. */
export type FinishDataset = (meanwhile?: () => unknown) => Promise<DatasetCalibration>;

/** `openDataset` to its end. */
export function calibrateDataset(...input: Parameters<typeof openDataset>): Promise<DatasetCalibration> {
  return openDataset(...input)();
}

/**
 * Calibrates every target of the suite on one data set, for every seed: scores in, numbers out, the same to the bit
 * whatever the number of threads. With threads, the targets of a small data set are offered at once, so that the
 * threads go on with them while this one does what is not theirs.
 *
 * @param rotations by target, its scores under every order of the options, where some method needs them
 * @param elicited by target, what it was asked to reply
 */
export function openDataset(
  plan: SuitePlan,
  scores: DatasetScores,
  rotations: CollectedRotations['targets'] = new Map(),
  elicited: CollectedElicitation['targets'] = new Map(),
  threads?: SplitThreads,
): FinishDataset {
  const splitter = exampleSplitter(scores.ids, scores.contentHashes);
  const splits = plan.seeds.map((seed) => splitter(seed, plan.calibrationFraction));
  const listed: DatasetSplits = {
    dataset: scores.dataset,
    ids: scores.ids,
    bySeed: plan.seeds.map((seed, s) => ({ seed, ...splits[s]! })),
  };
  const diagnostics = new DatasetDiagnostics(plan, scores.dataset, scores.ids.length);
  const clusters = exampleClusters(scores);
  const bootstrap = new BootstrapPool(
    clusters,
    plan.binning,
    resampleCount(plan.bootstrap, additionsOf(plan, scores, splits)),
  );
  const binResamples = binResampleCount(plan.bootstrap, diagramsOf(plan, scores) * scores.ids.length);
  const pool = new ReliabilityPool(scores.dataset, clusters, plan.binning, binResamples);
  const keepExamples = bootstrap.resamples + pool.resamples > 0;
  const offers = offeredTargets({ plan, scores, splits, rotations, elicited, keepExamples }, threads);
  const ahead = (threads?.helpers.length ?? 0) > 0 && scores.ids.length <= MOST_AHEAD ? [...offers] : null;
  const diagnose = ({ aligned, offered: { job, calibration } }: AlignedOffer) =>
    diagnostics.add({
      ...{ id: job.target, ownBase: job.ownBase, aligned, calibration: calibration() },
      ...{ combinationSizes: job.combinationSizes, splits: job.splits },
      splitAt: (seed, fraction) => rowsOfSplit(aligned, splitter(seed, fraction)),
    });
  for (const each of ahead ?? []) if ('offered' in each) diagnose(each);
  return async (meanwhile) => {
    const runs: RunResult[] = [];
    const examples: PickedExample[] = [];
    const skipped: { model: string; example: null; reason: string }[] = [];
    const warnings = labelWarnings(scores);
    for (const each of ahead ?? offers) {
      meanwhile?.();
      const { id } = each.target.target;
      if ('reason' in each) {
        skipped.push({ model: id, example: null, reason: each.reason });
        continue;
      }
      const { target, aligned, offered } = each;
      warnings.push(...aligned.warnings, ...referenceWarnings(plan, scores.dataset, target, aligned));
      const done = await finishTarget(offered, () => datasetJson(listed));
      const clustersOf = clusters.ofTarget(aligned);
      const resample = bootstrap.ofTarget(id, clustersOf);
      const collect = pool.ofTarget(id, clustersOf);
      done.forEach(({ ownBase, measured }, s) => {
        collect('own-base', null, ownBase);
        for (const { method, combinationSize, evaluation } of measured) {
          collect(method, combinationSize, evaluation);
          resample(plan.seeds[s]!, method, combinationSize, evaluation);
        }
      });
      const ofTarget = done.flatMap((split) => split.runs);
      runs.push(...ofTarget);
      const of = { target: id, ownBase: target.ownBase.id, aligned, calibration: offered.calibration() };
      examples.push(...tellingExamples({ ...of, split: offered.job.splits[0]!, runs: ofTarget }));
      if (ahead === null) diagnose(each);
    }
    const bootstrapped = bootstrap.resample();
    return {
      runs,
      splits: listed,
      reliability: pool.entries(),
      diagnostics: diagnostics.lists(),
      examples,
      intervals: eceIntervals(scores.dataset, bootstrapped),
      comparisons: compareMethods(scores.dataset, bootstrapped),
      resamples: bootstrap.resamples,
      skipped,
      warnings: [...warnings, ...diagnostics.warnings, ...fewExamples(scores.dataset, runs)],
    };
  };
}

/** What one bootstrap resample costs. */
function additionsOf(plan: SuitePlan, { dataset }: DatasetScores, splits: readonly Split[]): number {
  return diagramsOf(plan, { dataset }) * splits.reduce((sum, split) => sum + split.evaluation.length, 0);
}

function diagramsOf(plan: SuitePlan, { dataset }: Pick<DatasetScores, 'dataset'>): number {
  return plan.targetsOf(dataset).length * (plan.methods.length + plan.combinationSizes(dataset).length);
}

function fewExamples(dataset: string, runs: readonly RunResult[]): string[] {
  const fewest = Math.min(...runs.map((run) => run.labelledCount).filter((count) => count > 0));
  if (fewest >= FEW_EXAMPLES) return [];
  return [
    `${dataset}: ${fewest} labelled evaluation examples per seed; below ${FEW_EXAMPLES}, ECE is biased upwards and small differences mean nothing`,
  ];
}

function labelWarnings({ dataset, labels }: DatasetScores): string[] {
  const unlabelled = labels.filter((label) => label === -1).length;
  if (unlabelled === 0) return [];
  return unlabelled === labels.length
    ? [
        `${dataset}: no example has a label; temperatures are fitted (\`supportcal export\` writes them), but accuracy and ECE need labels`,
      ]
    : [
        `${dataset}: ${unlabelled} of ${labels.length} examples have no label; they take part in the fit, not in the metrics`,
      ];
}
