import { argmax } from '../../numeric/argmax.js';
import { softmax } from '../../numeric/softmax.js';
import type { SignalName } from './drift-schema.js';

/** What is known of one question without a label; what is absent or NaN is not known. */
export type QuestionSignals = Partial<Readonly<Record<SignalName, number>>>;

/** What came with the logits of a question. */
export interface ScoredQuestion {
  readonly logits: ArrayLike<number>;
  /** NaN: not known. */
  readonly optionMass: number;
  /** 0: not known. */
  readonly promptTokens: number;
}

/** The signals of a question that was scored. */
export function questionSignals({ logits, optionMass, promptTokens }: ScoredQuestion): QuestionSignals {
  const top = argmax(logits);
  let second = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < logits.length; k++) if (k !== top) second = Math.max(second, logits[k] ?? second);
  return {
    rawConfidence: softmax(logits)[top] ?? Number.NaN,
    margin: finiteMargin((logits[top] ?? Number.NaN) - second),
    optionMass,
    promptTokens: promptTokens === 0 ? Number.NaN : promptTokens,
  };
}

/** NaN, not known, beside options of probability 0: no number stands for such a margin in a file of JSON. */
export function finiteMargin(margin: number): number {
  return Number.isFinite(margin) ? margin : Number.NaN;
}
