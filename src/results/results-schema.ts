import { z } from 'zod';
import {
  addedFraction,
  addedPoints,
  addedSpread,
  combinationSizeOrNull,
  count,
  fraction,
  points,
  pointsOrNull,
  spreadOrNull,
} from './number-fields.js';
import { resultDiagnostics } from './paper-diagnostics.js';
import { protocolSchema } from './protocol-schema.js';
import { publishedComparisonSchema } from './published-comparison.js';
import { runSchema } from './run-schema.js';
import { thresholdsSchema } from './threshold-schema.js';
import { untoldSchema } from './untold-schema.js';
import { verdictSchema } from './verdict-schema.js';

/**
 * Whether a method can be told from the best of its row, and the p-value of that; null: it does not compete or was not
 * tested.
 */
const bestShape = { tiedWithBest: z.boolean().nullable().default(null), bestPValue: addedFraction };

const intervalOrNull = z.object({ lowPp: points, highPp: points }).nullable();

/** results.json, schemaVersion 1. Other programs read it: fields are added, never renamed. */
export const resultsSchema = z.object({
  schemaVersion: z.literal(1),
  suite: z.string(),
  /** What the suite is about, in the words of models.yaml; absent in older files. */
  title: z.string().optional(),
  createdAt: z.string(),
  /** partial: some model or example failed; `skipped` says which. */
  status: z.enum(['complete', 'partial']),
  tool: z.object({ version: z.string(), nodeLlamaCpp: z.string(), llamaCppRelease: z.string(), gpu: z.string() }),
  protocol: protocolSchema,
  runs: z.array(runSchema),
  summary: z.array(
    z.object({
      dataset: z.string(),
      target: z.string(),
      method: z.string(),
      combinationSize: combinationSizeOrNull,
      eceMeanPp: pointsOrNull,
      eceSePp: spreadOrNull,
      /** Interval of level 0.95 for the true ECE: `eceInterval` of src/inference. */
      eceLowPp: addedPoints,
      eceHighPp: addedPoints,
      /**
       * Total standard error of eceMeanPp, over new examples, splits and refits; eceSePp is over splits of the same
       * ones.
       */
      eceTotalSePp: addedSpread,
      /**
       * Mean and 95th percentile of what a calibrated model with these confidences would show, and how often it would
       * show eceMeanPp or more.
       */
      calibratedMeanPp: addedPoints,
      calibratedHighPp: addedPoints,
      calibratedPValue: addedFraction,
      /** Intervals of level 0.95 of the relatives of the ECE (full diagnostics); each null where not known. */
      intervals: z
        .object({
          debiasedEce: intervalOrNull,
          rmsCe: intervalOrNull,
          debiasedRmsCe: intervalOrNull,
          mce: intervalOrNull.default(null),
          smoothEce: intervalOrNull.default(null),
          classwiseEce: intervalOrNull,
        })
        .nullable()
        .default(null),
      ...bestShape,
      /** Seeds that have an ECE. */
      seeds: count,
    }),
  ),
  macro: z.array(
    z.object({
      dataset: z.string(),
      method: z.string(),
      combinationSize: combinationSizeOrNull,
      eceMeanPp: pointsOrNull,
      /**
       * Interval of level 0.95 of this mean for targets of other bases, drawn like the `bases` here (`clusterInterval`
       * of src/inference); null for one base. In files without `bases` it was over examples.
       */
      eceLowPp: addedPoints,
      eceHighPp: addedPoints,
      /** Own bases of the targets behind the mean; targets of one base are one cluster. */
      bases: count.nullable().default(null),
      /** Over new examples for these targets; nothing in it is about other models. */
      eceTotalSePp: addedSpread,
      ...bestShape,
      targets: count,
    }),
  ),
  /** Paired test of ECE A - ECE B on the same examples, for every pair of label-free methods. */
  comparisons: z
    .array(
      z.object({
        dataset: z.string(),
        /** null: mean difference over `targets` targets. */
        target: z.string().nullable(),
        methodA: z.string(),
        combinationSizeA: combinationSizeOrNull,
        methodB: z.string(),
        combinationSizeB: combinationSizeOrNull,
        /** Below 0: A has the lower ECE. */
        differencePp: points,
        /** The difference that is tested: of signed errors, which have no bias of finite bins. */
        signedDifferencePp: addedPoints,
        /** Total: over new examples, splits and refits. */
        standardErrorPp: addedSpread,
        /** Lower end of the interval of the signed difference. */
        lowPp: points,
        highPp: points,
        /** Two-sided. */
        pValue: fraction,
        /** Adjusted (Holm) over all pairs of all targets of the data set, or over all pairs of means. */
        pValueHolm: addedFraction,
        targets: count,
        resamples: count,
      }),
    )
    .default([]),
  /** Our means beside numbers printed elsewhere; null when the suite names none. */
  published: publishedComparisonSchema.nullable().default(null),
  /** The numbers of the paper's diagnostics; the same lists stand in diagnostics.json with how they were made. */
  diagnostics: z.object(resultDiagnostics).optional(),
  /** What to do with every target on every data set; absent in files of earlier versions. */
  verdicts: z.array(verdictSchema).optional(),
  /**
   * From which confidence on a target may answer alone, before (`vanilla`) and after calibration; absent in files of
   * earlier versions, and for data sets of more than 100,000 targets x examples without full diagnostics.
   */
  thresholds: z.array(thresholdsSchema).optional(),
  /** What options that a server did not tell leave open; absent where every option was told. */
  untold: z.array(untoldSchema).optional(),
  /** Names that tables show in place of ids of models, by id; absent where no model has a label. */
  labels: z.record(z.string(), z.string()).optional(),
  skipped: z.array(
    z.object({ dataset: z.string(), model: z.string(), example: z.string().nullable(), reason: z.string() }),
  ),
  warnings: z.array(z.string()),
  /**
   * What makes the numbers of a model on a data set mean little; absent: nothing was found. `way`: those of this way of
   * asking alone, not the scores of the options.
   */
  health: z
    .array(z.object({ dataset: z.string(), model: z.string(), what: z.string(), way: z.string().optional() }))
    .optional(),
  /** Steps that chose among the rows of a source before anything was scored; absent where every row was taken. */
  selection: z
    .array(
      z.object({
        dataset: z.string(),
        by: z.enum(['source.filter', 'source.limit', 'source.sample', '--limit']),
        kept: count,
        /** null: rows after the limit were not read. */
        of: count.nullable(),
      }),
    )
    .optional(),
});

export type Results = z.infer<typeof resultsSchema>;
