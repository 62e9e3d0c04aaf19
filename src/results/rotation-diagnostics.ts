import { z } from 'zod';
import { count } from './number-fields.js';

/** What scoring the options in every cyclic order costs and meets; absent where no method of the suite needs it. */
export const rotationDiagnostics = {
  rotations: z
    .array(
      z.object({
        dataset: z.string(),
        target: z.string(),
        /** Examples that have both plain and rotated scores; the counts below are theirs. */
        examples: count,
        /** Prompts whose options were read: one per example, and one per order that was evaluated for CAPE. */
        plainPasses: count,
        forwardPasses: count,
        /**
         * Tokens evaluated: of the plain prompts, for CAPE (stems once, and tails), and of all K orders as prompts of
         * their own.
         */
        plainTokens: count,
        tokens: count,
        unsharedTokens: count,
        /** false: the first order is the plain prompt, whose scores were taken; CAPE costs the plain prompts too. */
        firstEvaluated: z.boolean().default(true),
        /** Largest difference of a logit of the first rotation from the plain prompt, which is the same prompt. */
        largestDifference: z.number(),
        /** Options of probability 0 in the plain prompt or in the first rotation, but not in both; absent: none. */
        impossibleInOne: z.int().nonnegative().optional(),
        /**
         * By place, the share of answers in all orders that stand there; equal ones say that the place decides nothing.
         */
        placeShares: z.array(z.number()).optional(),
        /** Share of examples whose answer is the same option in every order. */
        keptAnswers: z.number().optional(),
      }),
    )
    .optional(),
  /** Options that speak of other options or of their place ("both A and C"). */
  positionReferences: z
    .array(z.object({ dataset: z.string(), examples: count, options: count, ids: z.array(z.string()) }))
    .optional(),
};
