import { z } from 'zod';

/** What is known of a question without a label, by which new questions are compared with those of the fit. */
export const SIGNALS = ['rawConfidence', 'margin', 'optionMass', 'promptTokens', 'baseAgreement'] as const;

export type SignalName = (typeof SIGNALS)[number];

const sketch = z.object({ rows: z.int().positive(), values: z.array(z.number()).min(1).max(512) });

/** What the rows of the fit look like, for `driftWindow`. */
export const driftSchema = z.object({
  rule: z.string(),
  /**
   * rawConfidence: before calibration; margin: largest logit - second largest; optionMass: share of the next token that
   * goes to the options; promptTokens: length; baseAgreement: 1 where the own base predicts the same, else 0. A signal
   * that the fit does not know is absent.
   */
  signals: z.partialRecord(z.enum(SIGNALS), sketch),
});

export type DriftReference = z.infer<typeof driftSchema>;
