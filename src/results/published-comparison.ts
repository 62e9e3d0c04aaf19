import { z } from 'zod';
import { addedNumber, numberOrNull } from './number-fields.js';

/** Our means beside numbers printed elsewhere. */
export const publishedComparisonSchema = z.object({
  title: z.string(),
  file: z.string(),
  tables: z.array(
    z.object({
      name: z.string(),
      dataset: z.string(),
      rows: z.array(
        z.object({
          target: z.string(),
          method: z.string(),
          combinationSize: z.int().nullable(),
          eceMeanPp: numberOrNull,
          eceSePp: numberOrNull,
          /** Over new examples, splits and refits. */
          eceTotalSePp: addedNumber,
          printedMeanPp: z.number(),
          printedSePp: z.number(),
          /** Ours less printed. */
          differencePp: numberOrNull,
          /** That difference in standard errors of both together. */
          differenceSe: numberOrNull,
        }),
      ),
      /** Over the targets that both have. */
      macro: z.array(
        z.object({
          method: z.string(),
          combinationSize: z.int().nullable(),
          targets: z.int(),
          eceMeanPp: numberOrNull,
          printedMeanPp: numberOrNull,
          differencePp: numberOrNull,
        }),
      ),
    }),
  ),
  /** Numbers printed in figures and appendices beside ours; one line per M where ours depends on it. */
  diagnostics: z
    .array(
      z.object({
        dataset: z.string(),
        quantity: z.string(),
        combinationSize: z.int().nullable(),
        ours: numberOrNull,
        printed: z.number(),
        difference: numberOrNull,
      }),
    )
    .default([]),
});

export type PublishedComparison = z.infer<typeof publishedComparisonSchema>;
