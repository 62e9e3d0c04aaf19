import type { ExamplePrompt } from '../../contract/prompt.js';
import { calibratedPrediction } from '../../core/calibrated-prediction.js';
import type { CalibrationArtefact } from '../artefact/artefact-schema.js';
import type { ScoredQuestion } from '../artefact/question-signals.js';
import type { PredictedRow } from './prediction-line.js';

/** A question as far as an answer names it; null: what stood for an option, or its text, is not known. */
export interface AnsweredQuestion {
  readonly id: string;
  readonly labels: readonly string[] | null;
  readonly options: readonly string[] | null;
}

/** What holds for all answers of a run. */
export interface AnswerRules {
  /** The model file is not the one that the temperature was fitted to. */
  readonly otherModel?: boolean;
  /** Questions with a lower confidence are marked `abstain`; absent: none is. */
  readonly abstainBelow?: number;
}

/** What a calibrated model says of a question, by the temperature of an artefact and the K logits of its options. */
export function answerQuestion(
  { inverseTemperature }: Pick<CalibrationArtefact, 'inverseTemperature'>,
  { id, labels, options }: AnsweredQuestion,
  logits: ArrayLike<number>,
  { otherModel = false, abstainBelow = 0 }: AnswerRules = {},
): PredictedRow {
  const { prediction, ...rest } = calibratedPrediction(logits, inverseTemperature);
  return {
    id,
    status: rest.confidence < abstainBelow ? 'abstain' : 'ok',
    prediction,
    predictionLabel: labels?.[prediction] ?? null,
    predictionText: options?.[prediction] ?? null,
    ...rest,
    ...(otherModel && { otherModel }),
  };
}

/** An answer with what else is known of the scores that it was made of. */
export function withSignals(
  row: PredictedRow,
  { optionMass, promptTokens }: Pick<ScoredQuestion, 'optionMass' | 'promptTokens'>,
): PredictedRow {
  if (row.status === 'failed') return row;
  return {
    ...row,
    ...(!Number.isNaN(optionMass) && { optionMass }),
    ...(promptTokens > 0 && { promptTokens }),
  };
}

/** The labels of a prompt whose labels are scored; null where the texts of options are. */
export function labelsOf({ mode, continuations }: Pick<ExamplePrompt, 'mode' | 'continuations'>) {
  return mode === 'letter' ? continuations : null;
}
