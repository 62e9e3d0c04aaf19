import { z } from 'zod';
import { elicitationDiagnostics } from './elicitation-diagnostics.js';
import {
  addedFraction,
  combinationSizeOrNull,
  count,
  fraction,
  fractionOrNull,
  numberOrNull,
} from './number-fields.js';
import { histogramSchema, paperDiagnostics } from './paper-diagnostics.js';
import { rotationDiagnostics } from './rotation-diagnostics.js';

const binSchema = z.object({
  lower: fraction,
  upper: fraction,
  count,
  /** null in an empty bin */
  accuracy: fractionOrNull,
  confidence: fractionOrNull,
  /** confidence - accuracy, in [-1, 1] */
  overconfidence: addedFraction,
  /** 95 % bootstrap interval of the accuracy; null or absent where nothing was resampled or nothing can vary. */
  accuracyLow: fractionOrNull.optional(),
  accuracyHigh: fractionOrNull.optional(),
});

/** Mean ECE over the splits of every nested resample, in pp; null where no split has one. */
const resampledCell = z.object({
  dataset: z.string(),
  target: z.string(),
  method: z.string(),
  combinationSize: combinationSizeOrNull,
  /** Hash of what was drawn from: runs that share it drew the same examples in resample r. */
  draws: z.string(),
  ecesPp: z.array(numberOrNull),
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
      combinationSize: combinationSizeOrNull,
      /** ECE of the pooled bins below; at most `eceMean`. */
      ece: fraction,
      /** Mean over the splits, as in the tables; absent in older files. */
      eceMean: fractionOrNull.optional(),
      /** Splits that are pooled: the counts of the bins count an example once for each that measures it. */
      splits: count.optional(),
      /** Different examples among them; null where they are not known one by one. */
      examples: count.nullable().optional(),
      bins: z.array(binSchema),
    }),
  ),
  /** What the total standard errors are made of; absent where nothing was resampled. */
  resamples: z.array(resampledCell).optional(),
  /** Per model and data set, over all its scored examples. */
  models: z.array(
    z.object({
      dataset: z.string(),
      model: z.string(),
      examples: count,
      failed: count,
      accuracy: fractionOrNull,
      meanConfidence: fractionOrNull,
      ece: fractionOrNull,
      medianOptionMass: fractionOrNull,
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
