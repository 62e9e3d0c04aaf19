import type { AnswerInputs, AnswerMethod, Answers } from '../../calibration/answers/answer-method.js';
import type { MethodOutcome } from '../../calibration/calibrate-target.js';
import { ANSWER_METHODS } from '../../calibration/methods.js';
import type { SuitePlan } from '../../config/plan-suite.js';
import { type Evaluation, evaluator } from '../../metrics/evaluate.js';
import { type ConfidenceEvaluation, evaluateConfidences } from '../../metrics/evaluate-confidences.js';
import type { Scratch } from '../../numeric/scratch.js';
import { inverseTemperatureOf } from '../../results/run-fields.js';

/** One answer method on one split; `outcome` is the temperature that was put on its distribution, null for none. */
interface AnswerRun {
  readonly method: string;
  readonly outcome: MethodOutcome | null;
  /** null: no labelled example, or no temperature to put on the distribution. */
  readonly evaluation: Evaluation | ConfidenceEvaluation | null;
  /** Share of right answers of the method itself, which a temperature does not change; null without labels. */
  readonly accuracy: number | null;
  readonly count: number;
  /** Share of the labelled examples that the method has an answer to, in [0, 1]; null: it answers all by nature. */
  readonly coverage: number | null;
}

/**
 * Measures the named methods on the examples with the given indexes; `outcomes` are the temperatures fitted on the
 * other ones.
 */
export type AnswerMeasure = (
  evaluationRows: Int32Array,
  outcomes: readonly MethodOutcome[],
  names: readonly string[],
) => AnswerRun[];

/**
 * The answer methods of a suite that a target has the scores for.
 *
 * @param ways names of the ways of asking that it has scores of, beside plain prompts
 */
export function answerMethods(methods: readonly string[], ways: readonly string[]): AnswerMethod[] {
  const chosen = methods.flatMap((name) => ANSWER_METHODS.find((method) => method.name === name) ?? []);
  return chosen.filter(({ needs }) => needs === 'own-base' || ways.includes(needs));
}

/** Calibration methods whose temperatures the given methods use. */
export function temperaturesOf(methods: readonly AnswerMethod[]): string[] {
  return methods.flatMap(({ temperatureOf }) => temperatureOf ?? []);
}

interface MeasureSettings {
  readonly labels: Int32Array;
  readonly binning: SuitePlan['binning'];
  /** Least share of answered examples that an ECE is given for. */
  readonly minimumCoverage: number;
  /** For evaluations whose single examples nobody looks at; null: they keep them. */
  readonly scratch: Scratch | null;
}

/** Answers of every method for all examples, made once; each split only measures. */
export function answerMeasure(
  methods: readonly AnswerMethod[],
  inputs: AnswerInputs,
  { labels, binning, minimumCoverage, scratch }: MeasureSettings,
): AnswerMeasure {
  // Methods that differ in their temperature alone share their answers.
  const known = new Map<AnswerMethod['answer'], Answers>();
  const answered = methods.map((method) => {
    const found = known.get(method.answer) ?? method.answer(inputs);
    known.set(method.answer, found);
    return { ...method, found };
  });
  return (rows, outcomes, names) =>
    answered.flatMap(({ name, found, temperatureOf }): AnswerRun[] => {
      if (!names.includes(name)) return [];
      if (found.kind === 'confidences') {
        const measured = evaluateConfidences(found, rows, labels, binning);
        const labelled = rows.reduce((sum, row) => sum + (labels[row] === -1 ? 0 : 1), 0);
        const coverage = labelled === 0 ? null : (measured?.count ?? 0) / labelled;
        // The examples that were answered are not a fair sample of all: below the limit they stand for nothing.
        const evaluation = coverage !== null && coverage < minimumCoverage ? null : measured;
        return [{ method: name, outcome: null, evaluation, ...summary(evaluation), coverage }];
      }
      const measure = evaluator({ logits: found.logProbs, indexes: rows, labels }, binning, scratch);
      const plain = measure(1);
      if (temperatureOf === undefined)
        return [{ method: name, outcome: null, evaluation: plain, ...summary(plain), coverage: null }];
      return outcomes
        .filter(({ method }) => method === temperatureOf)
        .map((outcome) => {
          const beta = inverseTemperatureOf(outcome);
          const evaluation = beta === null ? null : measure(beta);
          return { method: name, outcome, evaluation, ...summary(plain), coverage: null };
        });
    });
}

function summary(evaluation: Pick<Evaluation, 'accuracy' | 'count'> | null) {
  return { accuracy: evaluation?.accuracy ?? null, count: evaluation?.count ?? 0 };
}
