import { z } from 'zod';
import { elicitationDiagnostics } from './elicitation-diagnostics.js';
import { addedNumber, numberOrNull } from './number-fields.js';
import { histogramSchema, paperDiagnostics } from './paper-diagnostics.js';
import { rotationDiagnostics } from './rotation-diagnostics.js';

const binSchema = z.object({
  lower: z.number(),
  upper: z.number(),
  count: z.int(),
  /** null in an empty bin */
  accuracy: numberOrNull,
  confidence: numberOrNull,
  /** confidence - accuracy, in [-1, 1] */
  overconfidence: addedNumber,
  /** 95 % bootstrap interval of the accuracy; null or absent where nothing was resampled or nothing can vary. */
  accuracyLow: numberOrNull.optional(),
  accuracyHigh: numberOrNull.optional(),
});

/** diagnostics.json: what the figures need beyond results.json. */
export const diagnosticsSchema = z.object({
  schemaVersion: z.literal(1),
  /** Evaluation examples of all seeds pooled, per data set, target, method; method `own-base` is the base itself. */
  reliability: z.array(
    z.object({
      dataset: z.string(),
      target: z.string(),
      method: z.string(),
      combinationSize: z.int().nullable(),
      /** ECE of the pooled bins below; at most `eceMean`. */
      ece: z.number(),
      /** Mean over the splits, as in the tables; absent in older files. */
      eceMean: numberOrNull.optional(),
      /** Splits that are pooled: the counts of the bins count an example once for each that measures it. */
      splits: z.int().optional(),
      /** Different examples among them; null where they are not known one by one. */
      examples: z.int().nullable().optional(),
      bins: z.array(binSchema),
    }),
  ),
  /** Per model and data set, over all its scored examples. */
  models: z.array(
    z.object({
      dataset: z.string(),
      model: z.string(),
      examples: z.int(),
      failed: z.int(),
      accuracy: numberOrNull,
      meanConfidence: numberOrNull,
      ece: numberOrNull,
      medianOptionMass: numberOrNull,
      /** Counts of examples by their option mass, in [0, 1]; null in text mode and for imports. */
      optionMassHistogram: histogramSchema.nullable().optional(),
      /** Counts of examples by the tokens of their plain prompts; null for imports. */
      promptTokensHistogram: histogramSchema.nullable().optional(),
      medianPromptTokens: numberOrNull.optional(),
    }),
  ),
  ...paperDiagnostics,
  ...rotationDiagnostics,
  ...elicitationDiagnostics,
});

export type Diagnostics = z.infer<typeof diagnosticsSchema>;
