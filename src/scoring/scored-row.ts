/**
 * The scores of one example by one model; of `rotations` see scoreRotations. A failed example has no logits at all, and a
 * reason.
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
      readonly promptTokens: number;
    }
  | { readonly status: 'failed'; readonly id: string; readonly reason: string; readonly promptTokens: number };
