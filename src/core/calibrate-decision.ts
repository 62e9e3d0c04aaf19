import { applyTemperature, type HasTemperature } from './apply-temperature.js';
import {
  type ChoiceDecision,
  type Decision,
  decisionLogits,
  type NoulDecision,
  type ScoreDecision,
} from './decision-logits.js';

/** What is added to a calibrated decision, of whichever kind. */
export interface Calibrated {
  /** Calibrated probability of the answer that the model gives, in (0, 1]; node-llama-cpp's own field is a margin. */
  readonly confidence: number;
  /** That probability before the calibration. */
  readonly rawConfidence: number;
}

/**
 * A decision with calibrated probabilities. A choice keeps the names of its options; the rating of a scale is the mean
 * level under the calibrated probabilities, while node-llama-cpp's confidence that some level fits at all is dropped,
 * since no temperature of options says anything of it.
 */
export type CalibratedDecision<D extends Decision> = Calibrated &
  (D extends NoulDecision
    ? { readonly type: 'noul'; readonly value: number }
    : D extends ChoiceDecision
      ? { readonly type: 'choice'; readonly choice: D['choice']; readonly probabilities: D['probabilities'] }
      : { readonly type: 'score'; readonly score: number; readonly probabilities: readonly number[] });

/**
 * Applies a temperature to an answer of node-llama-cpp's structured decisions. Its probabilities are a softmax over the
 * options, so that q = softmax(ln(p) / tau), as in `applyTemperature`. The answer itself never changes.
 *
 * @param calibration fitted on decisions of the same kind, as `fitArtefact` does with `decisionLogits`: a temperature
 *   of other prompts is another one
 * @throws SupportCalError bad-input: see `decisionLogits` and `applyTemperature`
 */
export function calibrateDecision<D extends Decision>(
  decision: D,
  calibration: number | HasTemperature,
): CalibratedDecision<D> {
  const { probabilities, confidence, rawConfidence } = applyTemperature(decisionLogits(decision), calibration);
  const calibrated: object = { ...answerOf(decision, probabilities), confidence, rawConfidence };
  return calibrated as CalibratedDecision<D>;
}

function answerOf(decision: Decision, probabilities: readonly number[]): Decision {
  switch (decision.type) {
    case 'noul':
      return { type: 'noul', value: probabilities[0] ?? 0 };
    case 'choice': {
      const names = Object.keys(decision.probabilities);
      const named = Object.fromEntries(names.map((name, k) => [name, probabilities[k] ?? 0]));
      return { type: 'choice', choice: decision.choice, probabilities: named };
    }
    case 'score':
      return rating(probabilities);
  }
}

function rating(probabilities: readonly number[]): ScoreDecision & { readonly score: number } {
  const score = probabilities.reduce((sum, each, level) => sum + level * each, 0);
  return { type: 'score', score, probabilities };
}
