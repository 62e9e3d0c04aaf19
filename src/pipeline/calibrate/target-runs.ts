import { calibrateTarget, type MethodOutcome, type TargetCalibration } from '../../calibration/calibrate-target.js';
import { CALIBRATION_METHODS } from '../../calibration/methods.js';
import type { PreparedExamples } from '../../calibration/prepare-examples.js';
import type { SuitePlan } from '../../config/plan-suite.js';
import { binsEvaluator, type EvaluatedBins } from '../../metrics/bins-evaluator.js';
import { type Evaluation, evaluator } from '../../metrics/evaluate.js';
import type { ConfidenceEvaluation } from '../../metrics/evaluate-confidences.js';
import { Scratch } from '../../numeric/scratch.js';
import { inverseTemperatureOf, metricFields, outcomeFields } from '../../results/run-fields.js';
import type { RunResult } from '../../results/run-schema.js';
import type { AskedTarget } from '../asking/asked-scores.js';
import type { RowSplit } from '../diagnostics/combination-rows.js';
import type { AlignedTarget } from '../join/align-target.js';
import { type AnswerMeasure, answerMeasure, answerMethods, temperaturesOf } from './answer-runs.js';

/** The part of a suite that a run depends on. */
export type RunSuite = Pick<SuitePlan, 'methods' | 'combinationMethods' | 'ownMethods' | 'elicitation' | 'binning'>;

/** One target of one data set with all that its runs are made from. */
export interface TargetJob {
  readonly suite: RunSuite;
  readonly dataset: string;
  readonly target: string;
  readonly ownBase: string;
  readonly aligned: Pick<AlignedTarget, 'targetLogits' | 'ownBaseLogits' | 'references' | 'labels'>;
  readonly asked: AskedTarget;
  /** Sizes M that the references with scores can fill. */
  readonly combinationSizes: readonly number[];
  /** Rows of the aligned blocks per seed. */
  readonly splits: readonly RowSplit[];
  /** Whether later steps look at the single examples that were measured. */
  readonly keepExamples: boolean;
  /** What one thread prepared for all of them. */
  readonly prepared?: PreparedExamples;
}

/** One target with everything that does not depend on a split. */
export interface PreparedRuns {
  readonly calibration: TargetCalibration;
  readonly answers: AnswerMeasure;
  /** What the own base itself does on the examples with the given indexes. */
  readonly ownBaseBins: (indexes: Int32Array) => EvaluatedBins | null;
  /** What evaluations put their arrays in; null: they keep them. */
  readonly scratch: Scratch | null;
}

/** What a run is made of beside its split. */
interface Measured {
  readonly method: string;
  readonly outcome: MethodOutcome | null;
  readonly evaluation: Evaluation | ConfidenceEvaluation | null;
  readonly accuracy: number | null;
  readonly count: number;
  readonly coverage?: number | null;
}

/** What the fits of one target have in common. */
export function prepareCalibration(job: TargetJob): TargetCalibration {
  const { suite, aligned, combinationSizes } = job;
  const possible = possibleMethods(job);
  const needed = new Set<string>([...possible, ...temperaturesOf(answerMethods(possible, job.asked.ways))]);
  const methodTable = [...CALIBRATION_METHODS, ...suite.ownMethods];
  const methods = methodTable.map(({ name }) => name).filter((name) => needed.has(name));
  return calibrateTarget({ ...aligned, methods, combinationSizes, methodTable }, job.prepared);
}

export function prepareRuns(job: TargetJob, calibration = prepareCalibration(job)): PreparedRuns {
  const { suite, aligned, asked, keepExamples } = job;
  const scratch = keepExamples ? null : new Scratch();
  const answers = answerMeasure(
    answerMethods(possibleMethods(job), asked.ways),
    { ...aligned, ...asked.inputs, aggregator: suite.elicitation.aggregator },
    { labels: aligned.labels, binning: suite.binning, minimumCoverage: suite.elicitation.minimumCoverage, scratch },
  );
  const ownBaseBins = binsEvaluator(aligned.ownBaseLogits, aligned.labels, suite.binning, scratch);
  return { calibration, answers, ownBaseBins, scratch };
}

/** What is fitted for some methods of the suite: these, and those whose temperature they use. */
function fitsOf({ asked, combinationSizes }: TargetJob, only: readonly string[]) {
  return { methods: [...only, ...temperaturesOf(answerMethods(only, asked.ways))], combinationSizes };
}

/** Methods of the suite that can run: without a size M that can be filled, none that combines references. */
function possibleMethods({ suite, combinationSizes }: TargetJob): string[] {
  const left = combinationSizes.length === 0 ? suite.combinationMethods : [];
  return suite.methods.filter((method) => !left.includes(method));
}

/** What was measured of one method, as far as later steps look at it. */
interface MeasuredRun {
  readonly method: string;
  readonly combinationSize: number | null;
  readonly evaluation: Pick<Evaluation, 'ece' | 'bins' | 'examples' | 'confidences' | 'correct'> | null;
}

/** One split of one target. */
export interface SplitRuns {
  /** Methods in the order of the suite. */
  readonly runs: readonly RunResult[];
  readonly measured: readonly MeasuredRun[];
  /** What the own base itself did. */
  readonly ownBase: EvaluatedBins | null;
}

/** The place of a run's method in the suite. */
export function suiteOrder({ methods }: Pick<RunSuite, 'methods'>): (run: { readonly method: string }) => number {
  const order = new Map(methods.map((method, n): [string, number] => [method, n]));
  return ({ method }) => order.get(method) ?? order.size;
}

/**
 * The runs of one target on one of its splits.
 *
 * @param only the methods to take; default: all of the suite
 */
export function splitRuns(
  job: TargetJob,
  prepared: PreparedRuns,
  split: RowSplit,
  only: readonly string[] | null = null,
): SplitRuns {
  const { suite, aligned, keepExamples } = job;
  const { calibration, answers, ownBaseBins, scratch } = prepared;
  const names = only ?? suite.methods;
  const fitted = calibration.fit(split.calibration, only === null ? undefined : fitsOf(job, only));
  const ownBase = ownBaseBins(split.evaluation);
  const placeOf = suiteOrder(suite);
  const wanted = fitted.outcomes.filter(({ method }) => names.includes(method));
  const measured: Measured[] = [
    ...temperatureRuns(
      wanted,
      evaluator(
        {
          logits: aligned.targetLogits,
          indexes: split.evaluation,
          labels: aligned.labels,
          predictions: calibration.targetPredictions,
        },
        suite.binning,
        scratch,
      ),
    ),
    ...answers(split.evaluation, fitted.outcomes, names),
  ];
  measured.sort((a, b) => placeOf(a) - placeOf(b));
  return {
    ownBase: keepExamples ? ownBase : withoutExamples(ownBase),
    measured: measured.map(({ method, outcome, evaluation }) => ({
      method,
      combinationSize: outcome?.combinationSize ?? null,
      evaluation: keepExamples ? evaluation : withoutExamples(evaluation),
    })),
    runs: measured.map(({ method, outcome, evaluation, accuracy, count, coverage = null }) => ({
      dataset: job.dataset,
      target: job.target,
      ownBase: job.ownBase,
      seed: split.seed,
      ...outcomeFields(method, outcome),
      calibrationCount: split.calibration.length,
      evaluationCount: split.evaluation.length,
      labelledCount: count,
      coverage,
      disagreementRate: split.calibration.length === 0 ? null : fitted.disagreementCount / split.calibration.length,
      ...metricFields({ evaluation, accuracy, ownBaseAccuracy: ownBase?.accuracy ?? null }),
    })),
  };
}

const NONE = { examples: new Int32Array(), confidences: new Float64Array(), correct: new Uint8Array() };

function withoutExamples<T extends object>(measured: T | null): (T & typeof NONE) | null {
  return measured && { ...measured, ...NONE };
}

/** The target's plain logits at each fitted temperature. */
function temperatureRuns(
  outcomes: readonly MethodOutcome[],
  measure: (inverseTemperature: number) => Evaluation | null,
): Measured[] {
  const measured = outcomes.map((outcome) => {
    const beta = inverseTemperatureOf(outcome);
    return { method: outcome.method, outcome, evaluation: beta === null ? null : measure(beta) };
  });
  // A temperature never changes a prediction, so accuracy stands even where nothing could be fitted.
  const one = measured.find(({ evaluation }) => evaluation !== null)?.evaluation ?? measure(1);
  const { accuracy = null, count = 0 } = one ?? {};
  return measured.map((each) => ({ ...each, accuracy, count }));
}
