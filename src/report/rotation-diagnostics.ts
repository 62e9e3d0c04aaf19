import { z } from 'zod';

/** What scoring the options in every cyclic order costs and meets; absent where no method of the suite needs it. */
export const rotationDiagnostics = {
  rotations: z
    .array(
      z.object({
        dataset: z.string(),
        target: z.string(),
        /** Examples that have both plain and rotated scores; the counts below are theirs. */
        examples: z.int(),
        /** Prompts whose options were read: one per example, and one per rotation. */
        plainPasses: z.int(),
        forwardPasses: z.int(),
        /** Tokens evaluated: of the plain prompts, of stems (once) and tails, and of every rotation as a prompt of its own. */
        plainTokens: z.int(),
        tokens: z.int(),
        unsharedTokens: z.int(),
        /** Largest difference of a logit of the first rotation from the plain prompt, which is the same prompt. */
        largestDifference: z.number(),
      }),
    )
    .optional(),
  /** Options that speak of other options or of their place ("both A and C"). */
  positionReferences: z
    .array(z.object({ dataset: z.string(), examples: z.int(), options: z.int(), ids: z.array(z.string()) }))
    .optional(),
};
