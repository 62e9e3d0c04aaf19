import { SupportCalError } from '../errors/supportcal-error.js';
import type { AnswerMethod } from './answers/answer-method.js';
import { averageWithOwnBase, confidenceOfOwnBase } from './answers/own-base-answers.js';
import { probabilityOfTrue } from './answers/probability-of-true.js';
import { rotatedLogProbabilities, rotatedProbabilities, rotatedVotes } from './answers/rotation-answers.js';
import { sampledAnswer, sampledOrWrong, statedAnswer, statedOrWrong } from './answers/stated-answers.js';
import type { CalibrationMethod, WeightingMethod } from './calibration-method.js';
import {
  agreementWeight,
  agreementWeights,
  logRelativeWeight,
  logSupportWeight,
  relativeWeight,
  relativeWeights,
  supportWeight,
  supportWeights,
} from './support-weights.js';

/** What a method of the table says of itself beside what it does and what it needs for that. */
interface MethodDescription {
  /** The head of its column, and its name in figures and sentences. */
  readonly label: string;
  /** One phrase that says what it does, as docs/methods.md has it. */
  readonly meaning: string;
  /** Whether a suite that names no methods runs it. */
  readonly byDefault?: true;
  /** Not of the paper; judged in bench/study/README.md. */
  readonly experimental?: true;
}

export type Method = MethodDescription & (CalibrationMethod | AnswerMethod);

/** References are unsure: their probabilities understate what they know of the gain. Fixed in bench/study. */
const GAIN_FACTOR = 1.5;

const AUTO = {
  name: 'auto',
  label: 'Auto (exp.)',
  meaning:
    "mean confidence set to the own base's plus 1.5 times the gain that the other bases suggest, if there are any",
  byDefault: true,
  experimental: true,
  needs: 'pool',
  poolOptional: true,
  doubt: ({ ownBaseDoubt, expectedGain }) => ownBaseDoubt() - GAIN_FACTOR * expectedGain(),
} as const satisfies Method;

/**
 * Every method, in the order of the columns of a table. The names that a suite may use, their labels, what the help and
 * the schemas list and what docs/methods.md has to say all come from here: a new method is one function and one entry.
 */
export const METHODS: readonly Method[] = [
  {
    name: 'vanilla',
    label: 'Vanilla',
    meaning: 'the model as it is',
    byDefault: true,
    needs: 'nothing',
    temperature: 1,
  },
  {
    name: 'cape',
    label: 'CAPE',
    meaning: 'mean of the probabilities over all cyclic orders of the options',
    needs: 'rotations',
    answer: rotatedProbabilities,
  },
  {
    name: 'cape-log',
    label: 'CAPE (log)',
    meaning: 'mean of the log-probabilities over all cyclic orders, renormalised',
    needs: 'rotations',
    answer: rotatedLogProbabilities,
  },
  {
    name: 'cape-consistency',
    label: 'CAPE votes',
    meaning: 'the option that most cyclic orders vote for, with their share',
    needs: 'rotations',
    answer: rotatedVotes,
  },
  {
    name: 'elicitation',
    label: 'Elicit.',
    meaning: 'the confidence that the model writes beside its answer: one greedy reply',
    needs: 'elicitation',
    answer: statedAnswer,
  },
  {
    name: 'elicitation-unparsed-wrong',
    label: 'Elicit. (unparsed wrong)',
    meaning: 'one greedy reply; where it cannot be read, a wrong answer with confidence 1/K',
    needs: 'elicitation',
    answer: statedOrWrong,
  },
  {
    name: 'elicitation-ensemble',
    label: 'Elic.-Ens.',
    meaning: 'five sampled replies, summed by answer',
    needs: 'elicitation-ensemble',
    answer: sampledAnswer,
  },
  {
    name: 'elicitation-ensemble-unparsed-wrong',
    label: 'Elic.-Ens. (unparsed wrong)',
    meaning: 'five sampled replies; where none can be read, a wrong answer with confidence 1/K',
    needs: 'elicitation-ensemble',
    answer: sampledOrWrong,
  },
  {
    name: 'p-true',
    label: 'P(True)',
    meaning: 'the probability of "yes" when the model is asked whether its own choice is right',
    needs: 'p-true',
    answer: probabilityOfTrue,
  },
  {
    name: 'own-base-average',
    label: 'Base average',
    meaning: 'mean of the probabilities of target and own base',
    needs: 'own-base',
    answer: averageWithOwnBase,
  },
  {
    name: 'base-confidence',
    label: 'Base confidence',
    meaning: "the target's answer with the probability that its own base gives it",
    needs: 'own-base',
    answer: confidenceOfOwnBase,
  },
  {
    name: 'daca',
    label: 'DACA',
    meaning: 'temperature from the questions on which model and base agree',
    byDefault: true,
    needs: 'own-base',
    weight: agreementWeight,
    weights: agreementWeights,
  },
  {
    name: 'full-kl',
    label: 'Full KL',
    meaning: 'temperature from all questions alike',
    byDefault: true,
    needs: 'own-base',
    weight: () => 1,
    weights: (_, { length }) => new Float64Array(length).fill(1),
  },
  {
    name: 'relative-only',
    label: 'Relative only',
    meaning: "disagreements weighted by how much the base supports the model's answer",
    byDefault: true,
    needs: 'own-base',
    weight: relativeWeight,
    weights: relativeWeights,
    logWeight: logRelativeWeight,
  },
  {
    name: 'supportcal',
    label: 'SupportCal',
    meaning: 'disagreements weighted by the support of the base and of the M best-supporting other base models',
    byDefault: true,
    needs: 'references',
    weight: supportWeight,
    weights: supportWeights,
    logWeight: logSupportWeight,
  },
  {
    name: 'cape+daca',
    label: 'CAPE + DACA',
    meaning: "DACA's temperature on CAPE's distribution p: p^(1/τ), renormalised",
    needs: 'rotations',
    answer: rotatedProbabilities,
    temperatureOf: 'daca',
  },
  {
    name: 'cape+supportcal',
    label: 'CAPE + SupportCal',
    meaning: "SupportCal's temperature on CAPE's distribution",
    needs: 'rotations',
    answer: rotatedProbabilities,
    temperatureOf: 'supportcal',
  },
  {
    name: 'confidence-matched',
    label: 'Conf.-matched (exp.)',
    meaning: "mean confidence set to the own base's, as if the target were right as often as its base",
    experimental: true,
    needs: 'own-base',
    doubt: ({ ownBaseDoubt }) => ownBaseDoubt(),
  },
  {
    name: 'accuracy-matched',
    label: 'Acc.-matched (exp.)',
    meaning: "mean confidence set to the own base's plus the gain of accuracy that the other bases suggest",
    experimental: true,
    needs: 'pool',
    doubt: ({ ownBaseDoubt, expectedGain }) => ownBaseDoubt() - expectedGain(),
  },
  AUTO,
  {
    name: 'auto-labels',
    label: 'Auto + labels (exp.)',
    meaning: 'the temperature of `auto`, moved towards the fit on the labels there are as far as their number allows',
    experimental: true,
    needs: 'labels',
    prior: AUTO,
  },
  {
    name: 'oracle-ts',
    label: 'Oracle TS (labels)',
    meaning: 'temperature of least loss (NLL) on the labels of the calibration split: what labels would give',
    byDefault: true,
    needs: 'labels',
  },
];

export const METHOD_NAMES: readonly string[] = METHODS.map(({ name }) => name);

/** The methods that fit, or set, one temperature per split. */
export const CALIBRATION_METHODS: readonly CalibrationMethod[] = METHODS.filter(
  (method): method is MethodDescription & CalibrationMethod => !('answer' in method),
);

/** The methods that give predictions and confidences of their own. */
export const ANSWER_METHODS: readonly AnswerMethod[] = METHODS.filter((method) => 'answer' in method);

/**
 * Names of the methods that run once per combination size M: with references, or at the temperature of one with them.
 */
export const COMBINATION_METHODS: readonly string[] = METHODS.filter((method) =>
  'answer' in method ? needsReferences(method.temperatureOf) : needsReferences(method.name),
).map(({ name }) => name);

function needsReferences(name: string | undefined): boolean {
  return METHODS.some((method) => method.name === name && method.needs === 'references');
}

/** A built-in method that weighs examples, by its name; any other name is an error of the caller. */
export function weightingMethod(name: string): WeightingMethod {
  const method = METHODS.find((each) => each.name === name);
  if (method !== undefined && 'weight' in method) return method;
  throw new SupportCalError('internal', { message: `"${name}" is no built-in method with weights` });
}
