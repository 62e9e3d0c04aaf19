import type { AnswerInputs } from '../calibration/answer-methods.js';
import { calibrateTarget, type MethodOutcome, type TargetCalibration } from '../calibration/calibrate-target.js';
import { CALIBRATION_METHODS } from '../calibration/methods.js';
import type { SuitePlan, TargetPlan } from '../config/plan-suite.js';
import { type Evaluation, evaluator } from '../metrics/evaluate.js';
import { evaluateBins } from '../metrics/evaluate-bins.js';
import type { ConfidenceEvaluation } from '../metrics/evaluate-confidences.js';
import type { RunResult } from '../report/results-schema.js';
import type { AlignedTarget } from './align-target.js';
import { type AnswerMeasure, answerMeasure, answerMethods, temperaturesOf } from './answer-runs.js';
import type { RowSplit } from './diagnostics/dataset-diagnostics.js';
import { inverseTemperatureOf, metricFields, outcomeFields } from './run-fields.js';

/** One target with everything that does not depend on a split. */
export interface PreparedRuns {
  readonly calibration: TargetCalibration;
  readonly answers: AnswerMeasure;
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

/** @param combinationSizes those that the references with scores can fill */
export function prepareRuns(
  plan: SuitePlan,
  aligned: AlignedTarget,
  asked: Omit<AnswerInputs, 'targetLogits' | 'ownBaseLogits'>,
  combinationSizes: readonly number[],
): PreparedRuns {
  const left = combinationSizes.length === 0 ? plan.combinationMethods : [];
  const possible = plan.methods.filter((method) => !left.includes(method));
  const answering = answerMethods(possible, asked);
  const needed = new Set<string>([...possible, ...temperaturesOf(answering)]);
  const methodTable = [...CALIBRATION_METHODS, ...plan.ownMethods];
  const methods = methodTable.map(({ name }) => name).filter((name) => needed.has(name));
  return {
    calibration: calibrateTarget({ ...aligned, methods, combinationSizes, methodTable }),
    answers: answerMeasure(
      answering,
      { ...aligned, ...asked, aggregator: plan.elicitation.aggregator },
      { labels: aligned.labels, binning: plan.binning, minimumCoverage: plan.elicitation.minimumCoverage },
    ),
  };
}

export interface RunListeners {
  readonly onEvaluation: (
    seed: number,
    method: string,
    combinationSize: number | null,
    evaluation: Measured['evaluation'],
  ) => void;
  readonly onOwnBase: (evaluation: ReturnType<typeof evaluateBins>) => void;
}

/**
 * The runs of one target on every split, methods in the order of the plan.
 *
 * @param listeners hear what each run measured, and what the own base itself did
 */
export function targetRuns(
  plan: SuitePlan,
  { dataset, target, aligned }: { dataset: string; target: TargetPlan; aligned: AlignedTarget },
  { calibration, answers }: PreparedRuns,
  splits: readonly RowSplit[],
  { onEvaluation, onOwnBase }: RunListeners,
): RunResult[] {
  const order = new Map(plan.methods.map((method, n): [string, number] => [method, n]));
  return splits.flatMap(({ seed, calibration: calibrationRows, evaluation: evaluationRows }) => {
    const fitted = calibration.fit(calibrationRows);
    const ownBase = evaluateBins(aligned.ownBaseLogits, evaluationRows, aligned.labels, plan.binning);
    onOwnBase(ownBase);
    const wanted = fitted.outcomes.filter(({ method }) => order.has(method));
    const measured: Measured[] = [
      ...temperatureRuns(wanted, evaluator(aligned.targetLogits, evaluationRows, aligned.labels, plan.binning)),
      ...answers(evaluationRows, fitted.outcomes),
    ];
    measured.sort((a, b) => order.get(a.method)! - order.get(b.method)!);
    return measured.map(({ method, outcome, evaluation, accuracy, count, coverage = null }): RunResult => {
      const fields = outcomeFields(method, outcome);
      onEvaluation(seed, method, fields.combinationSize, evaluation);
      return {
        dataset,
        target: target.target.id,
        ownBase: target.ownBase.id,
        seed,
        ...fields,
        calibrationCount: calibrationRows.length,
        evaluationCount: evaluationRows.length,
        labelledCount: count,
        coverage,
        disagreementRate: calibrationRows.length === 0 ? null : fitted.disagreementCount / calibrationRows.length,
        accuracy,
        ownBaseAccuracy: ownBase?.accuracy ?? null,
        ...metricFields(evaluation),
      };
    });
  });
}

/** The target's plain logits at each fitted temperature. */
function temperatureRuns(
  outcomes: readonly MethodOutcome[],
  measure: (inverseTemperature: number) => Evaluation | null,
): Measured[] {
  const vanilla = measure(1);
  return outcomes.map((outcome) => {
    const beta = inverseTemperatureOf(outcome);
    const evaluation = beta === null ? null : outcome.method === 'vanilla' ? vanilla : measure(beta);
    // A temperature never changes a prediction, so accuracy stands even where nothing could be fitted.
    const { accuracy = null, count = 0 } = vanilla ?? {};
    return { method: outcome.method, outcome, evaluation, accuracy, count };
  });
}
