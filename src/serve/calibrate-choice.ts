import { applyTemperature } from '../core/apply-temperature.js';
import { type Choice, firstToken } from './choice-tokens.js';
import type { ServedArtefact } from './served-artefacts.js';

/** What is added to a choice of a proxied reply. */
export type CalibratedChoice =
  | {
      /** abstain: the confidence is below the threshold of the service. */
      readonly status: 'ok' | 'abstain';
      readonly artefact: string;
      /** 0-based, the most probable of the options; the reply may have drawn another one. */
      readonly prediction: number;
      readonly predictionLabel: string;
      readonly confidence: number;
      readonly rawConfidence: number;
      /** By label. */
      readonly probabilities: Readonly<Record<string, number>>;
      /** Share of the first token that the options have together; the rest went to other texts. */
      readonly optionMass: number;
    }
  | {
      readonly status: 'unknown';
      readonly artefact: string;
      readonly reason: string;
      /** Options whose probability the server did not give. */
      readonly missing?: readonly string[];
    };

/** What stands before a label in a token: nothing, or the sign for a space of one tokenizer or another. */
const LEADS = ['', ' ', 'Ġ', '▁'];

/**
 * Calibrated confidences of the options, from the log-probabilities of the first token of a reply. Nothing is guessed:
 * an option that is not among the most probable tokens is named, and there is no confidence then.
 *
 * @param labels what stands for the options, in their order
 */
export function calibrateChoice(
  { name, artefact, abstainBelow = 0 }: ServedArtefact,
  labels: readonly string[],
  choice: Choice,
): CalibratedChoice {
  const unknown = (reason: string, missing?: readonly string[]): CalibratedChoice => ({
    status: 'unknown',
    artefact: name,
    reason,
    ...(missing !== undefined && { missing }),
  });
  const first = firstToken(choice);
  if (first === null) return unknown('the reply has no log-probabilities of a first token');
  const logprobs = (lead: string) => labels.map((label) => first.top.get(lead + label));
  const massOf = (lead: string) => logprobs(lead).reduce<number>((sum, value) => sum + Math.exp(value ?? -Infinity), 0);
  const lead = LEADS.reduce((best, each) => (massOf(each) > massOf(best) ? each : best));
  const missing = labels.filter((_, k) => logprobs(lead)[k] === undefined);
  if (missing.length > 0) {
    const token = JSON.stringify(first.token.slice(0, 40));
    const reason = `the reply begins with ${token}; the server gave no probability for ${missing.join(', ')} there`;
    return unknown(reason, missing);
  }
  const { prediction, probabilities, ...rest } = applyTemperature(
    logprobs(lead).map((value) => value ?? Number.NEGATIVE_INFINITY),
    artefact,
  );
  return {
    status: rest.confidence < abstainBelow ? 'abstain' : 'ok',
    artefact: name,
    prediction,
    predictionLabel: labels[prediction] ?? '',
    ...rest,
    probabilities: Object.fromEntries(labels.map((label, k) => [label, probabilities[k] ?? 0])),
    optionMass: massOf(lead),
  };
}
