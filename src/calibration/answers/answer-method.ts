import type { RaggedRows } from '../../numeric/ragged-rows.js';
import type { Aggregator, SampledReplies } from './aggregate-replies.js';

/** What an answer method may look at: N examples of one target. There are no labels in it. */
export interface AnswerInputs {
  readonly targetLogits: RaggedRows;
  readonly ownBaseLogits: RaggedRows;
  /** Row n: K x K logits, rotation by rotation, each in the original option order; null where none were scored. */
  readonly rotationLogits: RaggedRows | null;
  /** What the target wrote: greedily, and in samples; null where it was not asked. */
  readonly elicited?: SampledReplies | null;
  readonly elicitedSamples?: SampledReplies | null;
  /** Default: avg-conf. */
  readonly aggregator?: Aggregator;
  /**
   * Row n: for each of K options the logits of "right" and "not right" after it was proposed; no numbers: not scored.
   */
  readonly truthLogits?: RaggedRows | null;
}

/** What a method answers to N examples, and how sure it is. */
export type Answers =
  /** Row n: ln of the K option probabilities. The prediction is the largest. */
  | { readonly kind: 'distribution'; readonly logProbs: RaggedRows }
  /**
   * N predicted options and their confidences in [0, 1]; of the other options nothing is known. NO_ANSWER: the example
   * is left out; NO_OPTION: what was answered is no option, and wrong.
   */
  | { readonly kind: 'confidences'; readonly predictions: Int32Array; readonly confidences: Float64Array };

/** A method that gives predictions and confidences of its own in place of a temperature. */
export interface AnswerMethod {
  readonly name: string;
  /** What the target is asked beside its plain prompts: under every cyclic order of the options, for replies, ... */
  readonly needs: 'own-base' | 'rotations' | 'elicitation' | 'elicitation-ensemble' | 'p-true';
  readonly answer: (inputs: AnswerInputs) => Answers;
  /** Calibration method whose temperature, fitted to the target's plain logits, is put on the distribution. */
  readonly temperatureOf?: string;
}
