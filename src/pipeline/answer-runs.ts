import { ANSWER_METHODS, type AnswerInputs, type AnswerMethod } from '../calibration/answer-methods.js';
import type { MethodOutcome } from '../calibration/calibrate-target.js';
import type { SuitePlan } from '../config/plan-suite.js';
import type { Evaluation } from '../metrics/evaluate.js';
import { evaluator } from '../metrics/evaluate.js';
import { type ConfidenceEvaluation, evaluateConfidences } from '../metrics/evaluate-confidences.js';
import { inverseTemperatureOf } from './run-fields.js';

/** One answer method on one split; `outcome` is the temperature that was put on its distribution, null for none. */
export interface AnswerRun {
  readonly method: string;
  readonly outcome: MethodOutcome | null;
  /** null: no labelled example, or no temperature to put on the distribution. */
  readonly evaluation: Evaluation | ConfidenceEvaluation | null;
  /** Share of right answers of the method itself, which a temperature does not change; null without labels. */
  readonly accuracy: number | null;
  readonly count: number;
}

/** Measures on the examples with the given indexes; `outcomes` are the temperatures fitted on the other ones. */
export type AnswerMeasure = (evaluationRows: Int32Array, outcomes: readonly MethodOutcome[]) => AnswerRun[];

/** The answer methods of a plan that this target has the scores for. */
export function answerMethods(methods: readonly string[], rotated: boolean): AnswerMethod[] {
  const chosen = methods.flatMap((name) => ANSWER_METHODS.find((method) => method.name === name) ?? []);
  return chosen.filter(({ needs }) => needs !== 'rotations' || rotated);
}

/** Calibration methods whose temperatures the given methods use. */
export function temperaturesOf(methods: readonly AnswerMethod[]): string[] {
  return methods.flatMap(({ temperatureOf }) => temperatureOf ?? []);
}

/** Answers of every method for all examples, made once; each split only measures. */
export function answerMeasure(
  methods: readonly AnswerMethod[],
  inputs: AnswerInputs,
  labels: Int32Array,
  binning: SuitePlan['binning'],
): AnswerMeasure {
  const answers = new Map(methods.map((method) => [method.answer, method.answer(inputs)] as const));
  return (rows, outcomes) =>
    methods.flatMap(({ name, answer, temperatureOf }): AnswerRun[] => {
      const found = answers.get(answer)!;
      if (found.kind === 'confidences') {
        const evaluation = evaluateConfidences(found, rows, labels, binning);
        return [{ method: name, outcome: null, evaluation, ...summary(evaluation) }];
      }
      const measure = evaluator(found.logProbs, rows, labels, binning);
      const plain = measure(1);
      if (temperatureOf === undefined) return [{ method: name, outcome: null, evaluation: plain, ...summary(plain) }];
      return outcomes
        .filter(({ method }) => method === temperatureOf)
        .map((outcome) => {
          const beta = inverseTemperatureOf(outcome);
          return { method: name, outcome, evaluation: beta === null ? null : measure(beta), ...summary(plain) };
        });
    });
}

function summary(evaluation: Pick<Evaluation, 'accuracy' | 'count'> | null) {
  return { accuracy: evaluation?.accuracy ?? null, count: evaluation?.count ?? 0 };
}
