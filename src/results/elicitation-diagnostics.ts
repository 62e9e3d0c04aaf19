import { z } from 'zod';

/**
 * What targets replied when they were asked for an answer with a confidence; absent where no method of the suite asks.
 */
export const elicitationDiagnostics = {
  elicitation: z
    .array(
      z.object({
        dataset: z.string(),
        target: z.string(),
        kind: z.enum(['elicitation', 'elicitation-ensemble']),
        structured: z.enum(['grammar', 'text']),
        temperature: z.number(),
        replies: z.int(),
        /** No reply at all (too long a prompt, say); the other counts sum to `replies` with it. */
        failed: z.int(),
        parsed: z.int(),
        refusals: z.int(),
        outOfRange: z.int(),
        /** Two different answers or confidences. */
        ambiguous: z.int(),
        noAnswer: z.int(),
        noConfidence: z.int(),
        /** Longer than was allowed. */
        cut: z.int(),
        /** Generated tokens. */
        tokens: z.int(),
      }),
    )
    .optional(),
};
