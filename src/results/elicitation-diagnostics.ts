import { z } from 'zod';
import { count } from './number-fields.js';

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
        replies: count,
        /** No reply at all (too long a prompt, say); the other counts sum to `replies` with it. */
        failed: count,
        parsed: count,
        refusals: count,
        outOfRange: count,
        /** Two different answers or confidences. */
        ambiguous: count,
        noAnswer: count,
        noConfidence: count,
        /** Longer than was allowed. */
        cut: count,
        /** Generated tokens. */
        tokens: count,
      }),
    )
    .optional(),
};
