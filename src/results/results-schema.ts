import { z } from 'zod';
import { METRICS, type MetricField } from '../metrics/metrics.js';
import { histogramSchema, paperDiagnostics, resultDiagnostics } from './diagnostics-schema.js';
import { elicitationDiagnostics } from './elicitation-diagnostics.js';
import { rotationDiagnostics } from './rotation-diagnostics.js';

const number = z.number();
const numberOrNull = z.number().nullable();
/** A field that files of an earlier minor version do not have. */
const addedNumber = numberOrNull.default(null);

/** The fields of all metrics, each a number or null. */
const metricShape = Object.fromEntries(
  METRICS.map(({ field, added }) => [field, added ? addedNumber : numberOrNull]),
) as Readonly<Record<MetricField, typeof numberOrNull>>;

/**
 * One row per data set, target, method (and M) and seed. Fractions in [0, 1] unless the name ends in Pp.
 * A metric is null where it cannot be computed (no labels, or no temperature); nothing is filled in.
 */
export const runSchema = z.object({
  dataset: z.string(),
  target: z.string(),
  ownBase: z.string(),
  method: z.string(),
  combinationSize: z.int().nullable(),
  seed: z.int(),
  calibrationCount: z.int(),
  /** Examples of the evaluation split with usable logits, labelled or not. */
  evaluationCount: z.int(),
  /** Those of them that have a label: the rows behind every metric. */
  labelledCount: z.int(),
  /** Share of the labelled evaluation examples that the method has an answer to; null: it answers all by nature. */
  coverage: addedNumber,
  temperature: numberOrNull,
  temperatureKind: z.enum(['finite', 'infinite', 'none']),
  /** Why there is no finite temperature; null when there is one or the method has none by nature. */
  temperatureReason: z.string().nullable(),
  /** Whether the fit ended at its optimum; true for every fit that is here (another one is an error), null without a fit. */
  converged: z.boolean().nullable().default(null),
  /** |L'| at the last evaluation of a finite fit, relative to the size of its terms; `infinite` needs no iteration. */
  fitResidual: addedNumber,
  /** Evaluations of L'. */
  fitIterations: z.int().nullable().default(null),
  weightedBoundaryMargin: numberOrNull,
  selectedReferences: z.array(z.string()).nullable(),
  /** DS of the selected combination, Eq. (ds); null when nothing was selected. */
  disagreementSupport: numberOrNull,
  /** The accuracy that confidence-matched or accuracy-matched took the target to have, without labels. */
  estimatedAccuracy: addedNumber,
  /** |D| / N on the calibration split; null when it has no usable example. */
  disagreementRate: numberOrNull,
  ...metricShape,
});

const binSchema = z.object({
  lower: number,
  upper: number,
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

/** results.json, schemaVersion 1. Other programs read it: fields are added, never renamed. */
export const resultsSchema = z.object({
  schemaVersion: z.literal(1),
  suite: z.string(),
  createdAt: z.string(),
  /** partial: some model or example failed; `skipped` says which. */
  status: z.enum(['complete', 'partial']),
  tool: z.object({ version: z.string(), nodeLlamaCpp: z.string(), llamaCppRelease: z.string(), gpu: z.string() }),
  protocol: z.object({
    seeds: z.array(z.int()),
    calibrationFraction: number,
    splitGenerator: z.string(),
    bins: z.int(),
    binEdges: z.enum(['equal-width', 'equal-mass']).default('equal-width'),
    edgeRule: z.enum(['left-owned', 'right-owned']).default('left-owned'),
    eceRule: z.string(),
    methods: z.array(z.string()),
    /** Where some run on one data set only: those of each data set. */
    methodsByDataset: z.record(z.string(), z.array(z.string())).default({}),
    /** Files that methods of one's own came from, as named on the command line. */
    methodFiles: z.array(z.object({ file: z.string(), sha256: z.string(), methods: z.array(z.string()) })).default([]),
    /** Resamples per data set (0: left out), level and generator of the intervals and comparisons. */
    bootstrap: z
      .object({ resamples: z.record(z.string(), z.int()), level: number, rule: z.string(), generator: z.string() })
      .nullable()
      .default(null),
  }),
  runs: z.array(runSchema),
  summary: z.array(
    z.object({
      dataset: z.string(),
      target: z.string(),
      method: z.string(),
      combinationSize: z.int().nullable(),
      eceMeanPp: numberOrNull,
      eceSePp: numberOrNull,
      /** 95 % bootstrap interval of eceMeanPp over the evaluation examples. */
      eceLowPp: addedNumber,
      eceHighPp: addedNumber,
      /** Seeds that have an ECE. */
      seeds: z.int(),
    }),
  ),
  macro: z.array(
    z.object({
      dataset: z.string(),
      method: z.string(),
      combinationSize: z.int().nullable(),
      eceMeanPp: numberOrNull,
      eceLowPp: addedNumber,
      eceHighPp: addedNumber,
      targets: z.int(),
    }),
  ),
  /** Paired bootstrap of ECE A - ECE B on the same evaluation examples, for every pair of label-free methods. */
  comparisons: z
    .array(
      z.object({
        dataset: z.string(),
        /** null: mean difference over `targets` targets. */
        target: z.string().nullable(),
        methodA: z.string(),
        combinationSizeA: z.int().nullable(),
        methodB: z.string(),
        combinationSizeB: z.int().nullable(),
        /** Below 0: A has the lower ECE. */
        differencePp: number,
        lowPp: number,
        highPp: number,
        /** Two-sided. */
        pValue: number,
        targets: z.int(),
        resamples: z.int(),
      }),
    )
    .default([]),
  /** Our means beside numbers printed elsewhere; null when the suite names none. */
  published: z
    .object({
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
              printedMeanPp: number,
              printedSePp: number,
              /** Ours less printed. */
              differencePp: numberOrNull,
              /** The same in standard errors of both together. */
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
      /** Of the figures and appendices; one line per M where ours depends on it. */
      diagnostics: z
        .array(
          z.object({
            dataset: z.string(),
            quantity: z.string(),
            combinationSize: z.int().nullable(),
            ours: numberOrNull,
            printed: number,
            difference: numberOrNull,
          }),
        )
        .default([]),
    })
    .nullable()
    .default(null),
  /** The numbers of the paper's diagnostics; the same lists stand in diagnostics.json with how they were made. */
  diagnostics: z.object(resultDiagnostics).optional(),
  skipped: z.array(
    z.object({ dataset: z.string(), model: z.string(), example: z.string().nullable(), reason: z.string() }),
  ),
  warnings: z.array(z.string()),
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
      ece: number,
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
      /** Of the option mass, in [0, 1]; null in text mode and for imports. */
      optionMassHistogram: histogramSchema.nullable().optional(),
      /** Of the tokens of the plain prompts; null for imports. */
      promptTokensHistogram: histogramSchema.nullable().optional(),
      medianPromptTokens: numberOrNull.optional(),
    }),
  ),
  ...paperDiagnostics,
  ...rotationDiagnostics,
  ...elicitationDiagnostics,
});

export type RunResult = z.infer<typeof runSchema>;
export type Results = z.infer<typeof resultsSchema>;
export type Diagnostics = z.infer<typeof diagnosticsSchema>;
