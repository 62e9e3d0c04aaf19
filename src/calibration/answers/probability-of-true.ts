import { argmax } from '../../numeric/argmax.js';
import { rowOf } from '../../numeric/ragged-rows.js';
import { softmax } from '../../numeric/softmax.js';
import { NO_ANSWER } from './aggregate-replies.js';
import type { AnswerInputs, Answers } from './answer-method.js';
import { asked } from './asked.js';

/**
 * P(True): the target's own prediction with the probability of "right" when the model is asked whether that choice is,
 * p = softmax over "right" and "not right" after it was proposed. Kadavath et al. 2022 (arXiv:2207.05221).
 */
export function probabilityOfTrue({ targetLogits, truthLogits }: AnswerInputs): Answers {
  const { rowCount } = targetLogits;
  const truth = asked(truthLogits);
  const predictions = new Int32Array(rowCount).fill(NO_ANSWER);
  const confidences = new Float64Array(rowCount);
  for (let n = 0; n < rowCount; n++) {
    const logits = rowOf(truth, n);
    if (logits.length === 0) continue;
    const choice = argmax(rowOf(targetLogits, n));
    const [right = 0] = softmax(logits.subarray(2 * choice, 2 * choice + 2));
    predictions[n] = choice;
    confidences[n] = right;
  }
  return { kind: 'confidences', predictions, confidences };
}
