/** What a generated reply says, by the rules of `parseReply`. */
export interface ParsedReply {
  readonly verdict: 'parsed' | 'refusal' | 'out-of-range' | 'ambiguous' | 'no-answer' | 'no-confidence' | 'cut';
  /** 0-based option; -1 where the verdict is not `parsed`. */
  readonly answer: number;
  /** Stated confidence in [0, 100]; NaN where the verdict is not `parsed`. */
  readonly confidence: number;
}

/** One reply that a model wrote. */
export interface ReplyRow {
  readonly status: 'replied';
  readonly id: string;
  readonly text: string;
  /** Generated tokens. */
  readonly replyTokens: number;
  /** false: cut at the largest number of tokens. */
  readonly ended: boolean;
  readonly seed: number;
  readonly promptTokens: number;
  /**
   * Only where the form of the reply is given: the probability that the model, writing freely, stays within what is
   * allowed at every point where allowed replies differ, the product over these points. Absent: free text.
   */
  readonly allowedMass?: number;
  /** Absent until the reply has been read. */
  readonly parsed?: ParsedReply;
}

/**
 * The scores of one example by one model; of `rotations` see scoreRotations. A failed example has no logits at all, and
 * a reason.
 */
export type ScoredRow =
  | {
      readonly status: 'ok';
      readonly id: string;
      /** K raw logits in option order, float32 values as the backend returned them (float64 for imports). */
      readonly logits: ArrayLike<number>;
      /** ln of the sum of exp(logit) over the whole vocabulary; NaN when unknown (imported logits). */
      readonly logZ: number;
      /** Sum of the option probabilities over the whole vocabulary, in [0, 1]; NaN when unknown. */
      readonly optionMass: number;
      /**
       * Rotations count what the orders 2 to K begin with, once, and their tails, whether a run went on from the plain
       * prompt's stem or evaluated it anew.
       */
      readonly promptTokens: number;
      /**
       * Options that a server did not tell, as bits (bit k: option k); their logits are the largest that they can be,
       * and `optionMass` is that of the others. Absent: all are known.
       */
      readonly untold?: number;
    }
  | { readonly status: 'failed'; readonly id: string; readonly reason: string; readonly promptTokens: number };

/** A row of an entry: what a model scored, or what it wrote. */
export type ModelRow = ScoredRow | ReplyRow;
