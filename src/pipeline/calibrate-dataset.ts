import { calibrateTarget, type TargetCalibration } from '../calibration/calibrate-target.js';
import { exampleSplitter, type Split } from '../calibration/split-examples.js';
import type { SuitePlan, TargetPlan } from '../config/plan-suite.js';
import { evaluator } from '../metrics/evaluate.js';
import type { RaggedRows } from '../numeric/ragged-rows.js';
import type { Diagnostics, RunResult } from '../report/results-schema.js';
import { type AlignedTarget, alignTarget } from './align-target.js';
import type { DatasetScores } from './dataset-scores.js';
import { DatasetDiagnostics, type RowSplit } from './diagnostics/dataset-diagnostics.js';
import { ReliabilityPool } from './reliability-pool.js';
import { inverseTemperatureOf, metricFields, temperatureFields } from './run-fields.js';

export type Splits = Record<string, { calibration: string[]; evaluation: string[] }>;

export interface DatasetCalibration {
  readonly runs: readonly RunResult[];
  readonly splits: Splits;
  readonly reliability: Diagnostics['reliability'];
  readonly diagnostics: ReturnType<DatasetDiagnostics['lists']>;
  /** Targets that could not be calibrated at all, with the reason. */
  readonly skipped: ReadonlyArray<{ readonly model: string; readonly example: null; readonly reason: string }>;
  readonly warnings: readonly string[];
}

/** Calibrates every target of the suite on one data set, for every seed. Pure: scores in, numbers out. */
export function calibrateDataset(plan: SuitePlan, scores: DatasetScores): DatasetCalibration {
  const splitter = exampleSplitter(scores.ids, scores.contentHashes);
  const splits = plan.seeds.map((seed) => splitter(seed, plan.calibrationFraction));
  const pool = new ReliabilityPool(scores.dataset);
  const diagnostics = new DatasetDiagnostics(plan, scores.dataset);
  const runs: RunResult[] = [];
  const skipped: { model: string; example: null; reason: string }[] = [];
  const warnings = labelWarnings(scores);
  for (const target of plan.targets) {
    const aligned = alignTarget(target, scores);
    if ('reason' in aligned) {
      skipped.push({ model: target.target.id, example: null, reason: aligned.reason });
      continue;
    }
    warnings.push(...aligned.warnings, ...impossibleSizes(plan, scores.dataset, target, aligned));
    const calibration = prepare(plan, scores.dataset, aligned);
    const rowSplits = plan.seeds.map((seed, s) => ({ seed, ...rowsOfSplit(aligned, splits[s]!) }));
    runs.push(...calibrateOne(plan, scores, target, aligned, calibration, rowSplits, pool));
    diagnostics.add({
      ...{ id: target.target.id, ownBase: target.ownBase.id, aligned, calibration },
      combinationSizes: possibleSizes(plan, scores.dataset, aligned),
      splits: rowSplits,
      splitAt: (seed, fraction) => rowsOfSplit(aligned, splitter(seed, fraction)),
    });
  }
  return {
    runs,
    splits: Object.fromEntries(plan.seeds.map((seed, s) => [String(seed), splitIds(scores, splits[s]!)])),
    reliability: pool.entries(),
    diagnostics: diagnostics.lists(),
    skipped,
    warnings: [...warnings, ...diagnostics.warnings],
  };
}

function labelWarnings({ dataset, labels }: DatasetScores): string[] {
  const unlabelled = labels.filter((label) => label === -1).length;
  if (unlabelled === 0) return [];
  return unlabelled === labels.length
    ? [`${dataset}: no example has a label; temperatures are fitted, but accuracy and ECE need labels`]
    : [
        `${dataset}: ${unlabelled} of ${labels.length} examples have no label; they take part in the fit, not in the metrics`,
      ];
}

/** Sizes M that the references with scores can fill; a failed reference can leave too few. */
function possibleSizes(plan: SuitePlan, dataset: string, aligned: AlignedTarget): number[] {
  return plan.combinationSizes(dataset).filter((size) => size <= aligned.references.length);
}

function impossibleSizes(plan: SuitePlan, dataset: string, { target }: TargetPlan, aligned: AlignedTarget): string[] {
  if (!plan.methods.includes('supportcal')) return [];
  const sizes = plan.combinationSizes(dataset);
  if (sizes.length === 0) {
    return [
      `${dataset}, ${target.id}: supportcal is left out, no other base of bucket "${target.bucket}" can be a reference`,
    ];
  }
  return sizes
    .filter((size) => size > aligned.references.length)
    .map(
      (size) =>
        `${dataset}, ${target.id}: supportcal with M = ${size} is left out, only ${aligned.references.length} references have scores`,
    );
}

function prepare(plan: SuitePlan, dataset: string, aligned: AlignedTarget): TargetCalibration {
  const combinationSizes = possibleSizes(plan, dataset, aligned);
  const methods = combinationSizes.length > 0 ? plan.methods : plan.methods.filter((method) => method !== 'supportcal');
  return calibrateTarget({ ...aligned, methods, combinationSizes });
}

function calibrateOne(
  plan: SuitePlan,
  scores: DatasetScores,
  target: TargetPlan,
  aligned: AlignedTarget,
  calibration: TargetCalibration,
  splits: readonly RowSplit[],
  pool: ReliabilityPool,
): RunResult[] {
  return splits.flatMap(({ seed, calibration: calibrationRows, evaluation: evaluationRows }) => {
    const fitted = calibration.fit(calibrationRows);
    const measurer = (logits: RaggedRows) => evaluator(logits, evaluationRows, aligned.labels, plan.binning);
    const ownBase = measurer(aligned.ownBaseLogits)(1);
    const measure = measurer(aligned.targetLogits);
    const vanilla = measure(1);
    pool.add(target.target.id, 'own-base', null, ownBase);
    return fitted.outcomes.map((each): RunResult => {
      const beta = inverseTemperatureOf(each);
      const evaluation = beta === null ? null : each.method === 'vanilla' ? vanilla : measure(beta);
      pool.add(target.target.id, each.method, each.combinationSize, evaluation);
      return {
        dataset: scores.dataset,
        target: target.target.id,
        ownBase: target.ownBase.id,
        method: each.method,
        combinationSize: each.combinationSize,
        seed,
        calibrationCount: calibrationRows.length,
        evaluationCount: evaluationRows.length,
        labelledCount: vanilla?.count ?? 0,
        ...temperatureFields(each),
        selectedReferences: each.selectedReferences === null ? null : [...each.selectedReferences],
        disagreementSupport: each.disagreementSupport,
        disagreementRate: calibrationRows.length === 0 ? null : fitted.disagreementCount / calibrationRows.length,
        // A temperature never changes a prediction, so accuracy stands even where nothing could be fitted.
        accuracy: vanilla?.accuracy ?? null,
        ownBaseAccuracy: ownBase?.accuracy ?? null,
        ...metricFields(evaluation),
      };
    });
  });
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

function splitIds(scores: DatasetScores, split: Split) {
  const ids = (indexes: Int32Array) => Array.from(indexes, (i) => scores.ids[i]!);
  return { calibration: ids(split.calibration), evaluation: ids(split.evaluation) };
}
