import { type RaggedRows, rowOf } from '../../numeric/ragged-rows.js';
import { type AggregatedReplies, aggregateReplies, firstReplies, NO_ANSWER } from './aggregate-replies.js';
import type { AnswerInputs, Answers } from './answer-method.js';
import { asked } from './asked.js';

/** A prediction that is no option: the example counts, and the prediction is wrong. */
const NO_OPTION = -2;

/** Verbalised confidence of one greedy reply: Tian et al. 2023 (arXiv:2305.14975). */
export function statedAnswer({ elicited }: AnswerInputs): Answers {
  return { kind: 'confidences', ...firstReplies(asked(elicited)) };
}

/** `statedAnswer` (Tian et al. 2023) with replies that cannot be read as wrong ones. */
export function statedOrWrong({ elicited, targetLogits }: AnswerInputs): Answers {
  return unparsedWrong(firstReplies(asked(elicited)), targetLogits);
}

/** Verbalised confidences of several samples: Xiong et al. 2024 (arXiv:2306.13063). */
export function sampledAnswer({ elicitedSamples, aggregator = 'avg-conf' }: AnswerInputs): Answers {
  return { kind: 'confidences', ...aggregateReplies(asked(elicitedSamples), aggregator) };
}

/** `sampledAnswer` (Xiong et al. 2024) with examples of which no sample can be read as wrong ones. */
export function sampledOrWrong({ elicitedSamples, aggregator = 'avg-conf', targetLogits }: AnswerInputs): Answers {
  return unparsedWrong(aggregateReplies(asked(elicitedSamples), aggregator), targetLogits);
}

/** An example without an answer counts as wrong with confidence 1/K. */
function unparsedWrong({ predictions, confidences }: AggregatedReplies, logits: RaggedRows): Answers {
  const missing = (n: number) => predictions[n] === NO_ANSWER;
  return {
    kind: 'confidences',
    predictions: predictions.map((prediction, n) => (missing(n) ? NO_OPTION : prediction)),
    confidences: confidences.map((confidence, n) => (missing(n) ? 1 / rowOf(logits, n).length : confidence)),
  };
}
