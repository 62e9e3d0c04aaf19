import { calibrateTarget, type MethodOutcome } from '../calibration/calibrate-target.js';
import { exampleSplitter, type Split } from '../calibration/split-examples.js';
import type { SuitePlan, TargetPlan } from '../config/plan-suite.js';
import { type Evaluation, evaluator } from '../metrics/evaluate.js';
import { type RaggedRows, takeRows } from '../numeric/ragged-rows.js';
import type { Diagnostics, RunResult } from '../report/results-schema.js';
import type { DatasetScores, ModelScores } from './dataset-scores.js';
import { ReliabilityPool } from './reliability-pool.js';

export type Splits = Record<string, { calibration: string[]; evaluation: string[] }>;

export interface DatasetCalibration {
  readonly runs: readonly RunResult[];
  readonly splits: Splits;
  readonly reliability: Diagnostics['reliability'];
  /** Targets that could not be calibrated at all, with the reason. */
  readonly skipped: ReadonlyArray<{ readonly model: string; readonly example: null; readonly reason: string }>;
  readonly warnings: readonly string[];
}

/** Calibrates every target of the suite on one data set, for every seed. Pure: scores in, numbers out. */
export function calibrateDataset(plan: SuitePlan, scores: DatasetScores): DatasetCalibration {
  const splitter = exampleSplitter(scores.ids, scores.contentHashes);
  const splits = plan.seeds.map((seed) => splitter(seed, plan.calibrationFraction));
  const pool = new ReliabilityPool(scores.dataset);
  const runs: RunResult[] = [];
  const skipped: { model: string; example: null; reason: string }[] = [];
  const warnings: string[] = [];
  for (const target of plan.targets) {
    const aligned = alignTarget(target, scores);
    if ('reason' in aligned) {
      skipped.push({ model: target.target.id, example: null, reason: aligned.reason });
      continue;
    }
    warnings.push(...aligned.warnings, ...impossibleSizes(plan, scores.dataset, target, aligned));
    runs.push(...calibrateOne(plan, scores, target, aligned, splits, pool));
  }
  return {
    runs,
    splits: Object.fromEntries(plan.seeds.map((seed, s) => [String(seed), splitIds(scores, splits[s]!)])),
    reliability: pool.entries(),
    skipped,
    warnings,
  };
}

/** One target with its own base and references over the examples that all of them have. */
interface AlignedTarget {
  readonly targetLogits: RaggedRows;
  readonly ownBaseLogits: RaggedRows;
  readonly references: ReadonlyArray<{ readonly id: string; readonly logits: RaggedRows }>;
  readonly labels: Int32Array;
  /** Example index -> row of the blocks above; -1 where some model has no usable logits. */
  readonly rowOfExample: Int32Array;
  readonly warnings: readonly string[];
}

function alignTarget(plan: TargetPlan, scores: DatasetScores): AlignedTarget | { readonly reason: string } {
  const target = scores.models.get(plan.target.id);
  const ownBase = scores.models.get(plan.ownBase.id);
  if (!target) return { reason: `"${plan.target.id}" has no scores on this data set` };
  if (!ownBase) return { reason: `its own base "${plan.ownBase.id}" has no scores on this data set` };
  const present = plan.referencePool.flatMap((model) => scores.models.get(model.id) ?? []);
  const warnings = plan.referencePool
    .filter((model) => !scores.models.has(model.id))
    .map(
      (model) =>
        `${scores.dataset}, ${plan.target.id}: reference "${model.id}" has no scores and is left out of the pool`,
    );
  const all: readonly ModelScores[] = [target, ownBase, ...present];
  const usable: number[] = [];
  const rowOfExample = new Int32Array(scores.ids.length).fill(-1);
  scores.ids.forEach((_, i) => {
    if (all.some((model) => model.rowOfExample[i] === -1)) return;
    rowOfExample[i] = usable.length;
    usable.push(i);
  });
  if (usable.length === 0)
    return { reason: 'no example has usable logits from the target, its own base and every reference' };
  const take = (model: ModelScores) =>
    takeRows(
      model.table.logits,
      Int32Array.from(usable, (i) => model.rowOfExample[i]!),
    );
  return {
    targetLogits: take(target),
    ownBaseLogits: take(ownBase),
    references: present.map((model) => ({ id: model.model, logits: take(model) })),
    labels: Int32Array.from(usable, (i) => scores.labels[i]!),
    rowOfExample,
    warnings,
  };
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

function calibrateOne(
  plan: SuitePlan,
  scores: DatasetScores,
  target: TargetPlan,
  aligned: AlignedTarget,
  splits: readonly Split[],
  pool: ReliabilityPool,
): RunResult[] {
  const sizes = possibleSizes(plan, scores.dataset, aligned);
  const methods = sizes.length > 0 ? plan.methods : plan.methods.filter((method) => method !== 'supportcal');
  const calibration = calibrateTarget({ ...aligned, methods, combinationSizes: sizes });
  return plan.seeds.flatMap((seed, s) => {
    const rowsOf = (indexes: Int32Array) => indexes.map((i) => aligned.rowOfExample[i]!).filter((row) => row !== -1);
    const calibrationRows = rowsOf(splits[s]!.calibration);
    const evaluationRows = rowsOf(splits[s]!.evaluation);
    const fitted = calibration.fit(calibrationRows);
    const measurer = (logits: RaggedRows) => evaluator(logits, evaluationRows, aligned.labels, { bins: plan.bins });
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

/** beta to evaluate with: 0 for an infinite temperature; null when there is no calibrated distribution. */
function inverseTemperatureOf({ method, outcome }: MethodOutcome): number | null {
  if (method === 'vanilla') return 1;
  if (outcome.kind === 'finite') return outcome.inverseTemperature;
  return outcome.kind === 'infinite' ? 0 : null;
}

/** Vanilla has no fitted temperature: its kind is `none`, like every method that is no temperature scaling. */
function temperatureFields({ method, outcome }: MethodOutcome) {
  if (method === 'vanilla') {
    return {
      temperature: null,
      temperatureKind: 'none' as const,
      temperatureReason: null,
      weightedBoundaryMargin: null,
    };
  }
  return {
    temperature: outcome.kind === 'finite' ? outcome.temperature : null,
    temperatureKind: outcome.kind,
    temperatureReason: outcome.kind === 'none' ? outcome.reason : null,
    weightedBoundaryMargin: outcome.weightedBoundaryMargin,
  };
}

function metricFields(evaluation: Evaluation | null) {
  return {
    meanConfidence: evaluation?.meanConfidence ?? null,
    ece: evaluation?.ece ?? null,
    mce: evaluation?.mce ?? null,
    adaptiveEce: evaluation?.adaptiveEce ?? null,
    classwiseEce: evaluation?.classwiseEce ?? null,
    smoothEce: evaluation?.smoothEce ?? null,
    brier: evaluation?.brier ?? null,
    nll: evaluation?.nll ?? null,
    auroc: evaluation?.auroc ?? null,
  };
}

function splitIds(scores: DatasetScores, split: Split) {
  const ids = (indexes: Int32Array) => Array.from(indexes, (i) => scores.ids[i]!);
  return { calibration: ids(split.calibration), evaluation: ids(split.evaluation) };
}
