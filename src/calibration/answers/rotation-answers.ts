import type { AnswerInputs, Answers } from './answer-method.js';
import { asked } from './asked.js';
import { averageRotations } from './average-rotations.js';
import { rotationVotes } from './rotation-votes.js';

/**
 * CAPE: the mean of the probabilities under the K cyclic orders of the options. Jiang et al. 2023, Calibrating Language
 * Models via Augmented Prompt Ensembles (openreview L0dc4wqbNs), with the orders that the paper takes.
 */
export function rotatedProbabilities({ rotationLogits }: AnswerInputs): Answers {
  return { kind: 'distribution', logProbs: averageRotations(asked(rotationLogits), 'probabilities') };
}

/** CAPE (Jiang et al. 2023) with the mean of the log-probabilities, renormalised. */
export function rotatedLogProbabilities({ rotationLogits }: AnswerInputs): Answers {
  return { kind: 'distribution', logProbs: averageRotations(asked(rotationLogits), 'log-probabilities') };
}

/**
 * The option that most orders predict, with its share of their votes: self-consistency, Wang et al. 2023
 * (arXiv:2203.11171), with the K orders in place of samples.
 */
export function rotatedVotes({ rotationLogits }: AnswerInputs): Answers {
  const { predictions, confidences } = rotationVotes(asked(rotationLogits));
  return { kind: 'confidences', predictions, confidences };
}
