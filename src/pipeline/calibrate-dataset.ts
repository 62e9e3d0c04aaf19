import { exampleSplitter, type Split } from '../calibration/split-examples.js';
import type { SuitePlan } from '../config/plan-suite.js';
import type { Diagnostics, RunResult } from '../report/results-schema.js';
import type { EceInterval } from '../report/summarise-runs.js';
import { type AlignedTarget, alignTarget } from './align-target.js';
import { BootstrapPool } from './bootstrap-pool.js';
import { type Comparison, compareMethods, eceIntervals } from './compare-methods.js';
import type { DatasetScores } from './dataset-scores.js';
import { DatasetDiagnostics, type RowSplit } from './diagnostics/dataset-diagnostics.js';
import { alignElicitation, type CollectedElicitation } from './elicited-scores.js';
import { exampleClusters } from './example-clusters.js';
import { referenceWarnings } from './reference-warnings.js';
import { ReliabilityPool } from './reliability-pool.js';
import { binResampleCount, resampleCount } from './resample-count.js';
import { alignRotations, type CollectedRotations } from './rotation-scores.js';
import { type Help, spreadSplits } from './split-threads.js';
import { type DatasetSplits, datasetJson } from './splits-json.js';
import type { TargetJob } from './target-runs.js';
import { type PickedExample, tellingExamples } from './telling-examples.js';

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

/**
 * Calibrates every target of the suite on one data set, for every seed: scores in, numbers out, the same to the bit
 * whatever the number of threads.
 *
 * @param rotations by target, its scores under every order of the options, where some method needs them
 * @param elicited by target, what it was asked to reply
 */
export async function calibrateDataset(
  plan: SuitePlan,
  scores: DatasetScores,
  rotations: CollectedRotations['targets'] = new Map(),
  elicited: CollectedElicitation['targets'] = new Map(),
  help?: Help,
): Promise<DatasetCalibration> {
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
  const runs: RunResult[] = [];
  const examples: PickedExample[] = [];
  const skipped: { model: string; example: null; reason: string }[] = [];
  const warnings = labelWarnings(scores);
  for (const target of plan.targetsOf(scores.dataset)) {
    const aligned = alignTarget(target, scores);
    if ('reason' in aligned) {
      skipped.push({ model: target.target.id, example: null, reason: aligned.reason });
      continue;
    }
    warnings.push(...aligned.warnings, ...referenceWarnings(plan, scores.dataset, target, aligned));
    const { id } = target.target;
    const sizes = possibleSizes(plan, scores.dataset, aligned);
    const asked = {
      rotationLogits: alignRotations(aligned, rotations.get(id)),
      ...alignElicitation(aligned, scores.ids, elicited.get(id)),
    };
    const rowSplits = plan.seeds.map((seed, s) => ({ seed, ...rowsOfSplit(aligned, splits[s]!) }));
    const job: TargetJob = {
      ...{ plan, dataset: scores.dataset, target: id, ownBase: target.ownBase.id },
      ...{ aligned, asked, combinationSizes: sizes, splits: rowSplits },
      keepExamples: bootstrap.resamples + pool.resamples > 0,
    };
    const { prepared, done } = await spreadSplits(job, help && { ...help, afterwards: () => datasetJson(listed) });
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
    const { calibration } = prepared;
    const [split] = rowSplits;
    const picked = { target: id, ownBase: target.ownBase.id, aligned, calibration, split: split!, runs: ofTarget };
    examples.push(...tellingExamples(picked));
    diagnostics.add({
      ...{ id, ownBase: target.ownBase.id, aligned, calibration, combinationSizes: sizes },
      splits: rowSplits,
      splitAt: (seed, fraction) => rowsOfSplit(aligned, splitter(seed, fraction)),
    });
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

/** Sizes M that the references with scores can fill; a failed reference can leave too few. */
function possibleSizes(plan: SuitePlan, dataset: string, aligned: AlignedTarget): number[] {
  return plan.combinationSizes(dataset).filter((size) => size <= aligned.references.length);
}

function rowsOfSplit(aligned: AlignedTarget, { calibration, evaluation }: Split): Omit<RowSplit, 'seed'> {
  return { calibration: rowsOf(aligned, calibration), evaluation: rowsOf(aligned, evaluation) };
}

/** Rows of the aligned blocks for the given examples; those that some model lacks are left out. */
function rowsOf({ rowOfExample }: AlignedTarget, examples: Int32Array): Int32Array {
  const rows = new Int32Array(examples.length);
  let count = 0;
  for (let i = 0; i < examples.length; i++) {
    const row = rowOfExample[examples[i]!]!;
    if (row !== -1) rows[count++] = row;
  }
  return rows.subarray(0, count);
}
