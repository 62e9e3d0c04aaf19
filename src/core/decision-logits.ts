import { SupportCalError } from '../errors/supportcal-error.js';

/** The answer of node-llama-cpp to a yes-or-no question (`noul`): the probability of yes. */
export interface NoulDecision {
  readonly type: 'noul';
  readonly value: number;
}

/** Its answer to a choice between named options. */
export interface ChoiceDecision {
  readonly type: 'choice';
  readonly choice: string;
  readonly probabilities: Readonly<Record<string, number>>;
}

/** Its rating on a scale of levels, from 0 on. */
export interface ScoreDecision {
  readonly type: 'score';
  readonly probabilities: readonly number[];
}

/** One of the answers that `decide` of node-llama-cpp gives. */
export type Decision = NoulDecision | ChoiceDecision | ScoreDecision;

/**
 * The log-probabilities of the options of a decision, which `fitArtefact` and `applyTemperature` take as logits: yes
 * and no, the choices in the order of `probabilities`, or the levels.
 *
 * @throws SupportCalError bad-input: a probability that is none, or an answer of another kind
 */
export function decisionLogits(decision: Decision): number[] {
  const probabilities = probabilitiesOf(decision);
  const wrong = probabilities.find((each: unknown) => typeof each !== 'number' || !(each >= 0 && each <= 1 + ROUNDING));
  const sum = probabilities.reduce((total, each) => total + each, 0);
  if (wrong !== undefined || !(Math.abs(sum - 1) <= ROUNDING)) {
    const field = decision.type === 'noul' ? 'value' : 'probabilities';
    const message = `expected probabilities that sum to 1, found ${JSON.stringify(probabilities).slice(0, 100)}`;
    throw new SupportCalError('bad-input', { field, message });
  }
  return probabilities.map((each) => Math.min(0, Math.log(each)));
}

const ROUNDING = 1e-6;

function probabilitiesOf(decision: Decision): readonly number[] {
  switch (decision?.type) {
    case 'noul':
      return [decision.value, 1 - decision.value];
    case 'choice':
      return Object.values(decision.probabilities);
    case 'score':
      return decision.probabilities;
    default:
      throw new SupportCalError('bad-input', { field: 'type', message: 'expected "noul", "choice" or "score"' });
  }
}
