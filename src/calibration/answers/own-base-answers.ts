import { type RaggedRows, rowOf } from '../../numeric/ragged-rows.js';
import { softmax } from '../../numeric/softmax.js';
import type { AnswerInputs, Answers } from './answer-method.js';
import { averageProbabilities } from './average-probabilities.js';
import { predictions } from './predictions.js';

/**
 * Ensemble of target and own base by the mean of their probabilities, Lakshminarayanan et al. 2017 (arXiv:1612.01474).
 */
export function averageWithOwnBase({ targetLogits, ownBaseLogits }: AnswerInputs): Answers {
  return { kind: 'distribution', logProbs: averageProbabilities(targetLogits, ownBaseLogits) };
}

/**
 * The target's prediction with the probability that its own base gives it: post-training hurts calibration, the
 * pretrained model has it still, OpenAI 2023 (arXiv:2303.08774, figure 8).
 */
export function confidenceOfOwnBase({ targetLogits, ownBaseLogits }: AnswerInputs): Answers {
  const { indexes } = predictions(targetLogits);
  return { kind: 'confidences', predictions: indexes, confidences: probabilitiesOf(ownBaseLogits, indexes) };
}

/** softmax(row n)[options[n]] for every row. */
function probabilitiesOf(logits: RaggedRows, options: Int32Array): Float64Array {
  return Float64Array.from(options, (option, n) => softmax(rowOf(logits, n))[option]!);
}
