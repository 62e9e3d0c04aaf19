import { z } from 'zod';
import {
  combinationSizeOrNull,
  count,
  eceOrNull,
  fraction,
  numberOrNull,
  points,
  pointsOrNull,
  spreadOrNull,
} from './number-fields.js';

/** The model of a row; null: the mean over all targets of the data set. */
const targetOrAll = z.string().nullable();

/** Mean over seeds (and targets) of one point of a curve. A mean is null where nothing could be measured. */
export const curvePointSchema = z.object({
  /** Inclusion fraction, calibration fraction or M. */
  x: z.number(),
  /**
   * ECE as a fraction: mean over seeds, and over targets first where `target` is null; its standard error over seeds.
   */
  eceMean: eceOrNull,
  eceSe: eceOrNull,
  /** Mean of the finite temperatures. */
  temperatureMean: numberOrNull,
  /** Fits whose optimum is at tau -> infinity, and fits without data; neither has a temperature. */
  infinite: count,
  none: count,
  /** Fits behind the point. */
  fits: count,
  /** Mean number of calibration examples. */
  calibrationCount: z.number(),
});

export type CurvePoint = z.infer<typeof curvePointSchema>;

const curve = z.object({ dataset: z.string(), target: targetOrAll, points: z.array(curvePointSchema) });

/**
 * Examples of one model by a value, in bins of one width from `start`; each bin owns its left edge, the last one both.
 */
export const histogramSchema = z.object({ start: z.number(), width: z.number(), counts: z.array(count) });

export type Histogram = z.infer<typeof histogramSchema>;

/** What the paper's figures and appendices show beyond results.json; every list is absent unless it was asked for. */
export const paperDiagnostics = {
  /** How the lists below were made. */
  level: z.enum(['basic', 'full']).optional(),
  notes: z.record(z.string(), z.string()).optional(),
  /** App. A: share of all usable examples on which target and own base differ. */
  disagreement: z
    .array(
      z.object({
        dataset: z.string(),
        target: z.string(),
        ownBase: z.string(),
        examples: count,
        disagreements: count,
        rate: fraction,
      }),
    )
    .optional(),
  disagreementMedians: z.array(z.object({ dataset: z.string(), targets: count, median: fraction })).optional(),
  /** App. D: relative support alone beside DACA and SupportCal; percentage points. */
  relativeOnly: z
    .array(
      z.object({
        dataset: z.string(),
        target: targetOrAll,
        method: z.enum(['daca', 'relative-only', 'supportcal']),
        combinationSize: combinationSizeOrNull,
        eceMeanPp: pointsOrNull,
        eceSePp: spreadOrNull,
      }),
    )
    .optional(),
  /**
   * Eq. (tempobj) on the calibration split of one seed, over beta = 1 / tau: the curve of each KL fit and its minimum,
   * which lies at beta = 0 where the weighted boundary margin M_w = -L'(0) is 0 or below. Nats.
   */
  loss: z
    .array(
      z.object({
        dataset: z.string(),
        target: z.string(),
        method: z.string(),
        combinationSize: combinationSizeOrNull,
        seed: z.int(),
        temperatureKind: z.enum(['finite', 'infinite']),
        inverseTemperature: z.number(),
        loss: z.number(),
        weightedBoundaryMargin: z.number(),
        /** L at beta = i x step, i from 0. */
        step: z.number(),
        losses: z.array(z.number()),
      }),
    )
    .optional(),
  /** App. E, figure: mean weight on D by percentile of the boundary margin m_n. */
  weightByMargin: z
    .array(
      z.object({
        dataset: z.string(),
        target: targetOrAll,
        combinationSize: z.int(),
        bins: z.array(
          z.object({
            lower: z.number(),
            upper: z.number(),
            count,
            meanWeight: numberOrNull,
            meanMargin: numberOrNull,
          }),
        ),
      }),
    )
    .optional(),
  /** App. E, table: weight on D by the sign of m_n. */
  weightBySign: z
    .array(
      z.object({
        dataset: z.string(),
        target: targetOrAll,
        combinationSize: z.int(),
        sign: z.enum(['negative', 'zero', 'positive']),
        count,
        meanWeight: numberOrNull,
        medianWeight: numberOrNull,
      }),
    )
    .optional(),
  /** Fig. 2: x is the share of D that was given back to the objective. */
  reintroduction: z
    .array(curve.extend({ weights: z.enum(['unit', 'supportcal']), combinationSize: combinationSizeOrNull }))
    .optional(),
  /** x is M, from 1 to the size of the pool. */
  sensitivity: z.array(curve).optional(),
  /** x is the calibration fraction; the evaluation examples are the same at every point. */
  sampleSize: z.array(curve.extend({ method: z.string(), combinationSize: combinationSizeOrNull })).optional(),
  /**
   * How far temperatures on the plain logits are from the best ones of the evaluation side: mean over seeds of the ECE
   * less the least one that some temperature has there, and of the NLL less the least one (nats).
   */
  regret: z
    .array(
      z.object({
        dataset: z.string(),
        target: targetOrAll,
        method: z.string(),
        combinationSize: combinationSizeOrNull,
        /** Splits (and targets) behind the means. */
        fits: count,
        eceRegretPp: points,
        /** null: no loss is finite, or a fit to the labels does not exist. */
        nllRegret: numberOrNull,
        /** Geometric mean of the temperature over the best one; above 1 it is too high. Infinite ones are left out. */
        eceTemperatureRatio: numberOrNull,
        nllTemperatureRatio: numberOrNull,
        /** Fits where the temperature or the one of least ECE is infinite. */
        infinite: count,
      }),
    )
    .optional(),
  /** Selective prediction: errors among the surest answers, by log odds, on the evaluation side of one split. */
  riskCoverage: z
    .array(
      z.object({
        dataset: z.string(),
        target: z.string(),
        method: z.string(),
        combinationSize: combinationSizeOrNull,
        seed: z.int(),
        /** Labelled examples, each once. */
        examples: count,
        /** Intervals (Clopper and Pearson) hold at all points of a curve at once, level 0.95. */
        points: z.array(z.object({ coverage: fraction, count, risk: fraction, low: fraction, high: fraction })),
      }),
    )
    .optional(),
  /** Eq. (ds) of every S in R with |S| = M, on request. */
  combinations: z
    .array(
      z.object({
        dataset: z.string(),
        target: z.string(),
        seed: z.int(),
        combinationSize: z.int(),
        references: z.array(z.string()),
        disagreementSupport: fraction,
        selected: z.boolean(),
      }),
    )
    .optional(),
};

const { disagreement, disagreementMedians, relativeOnly, weightByMargin, weightBySign } = paperDiagnostics;
const { reintroduction, sensitivity, sampleSize, combinations, regret, riskCoverage } = paperDiagnostics;

/** Those of them that results.json has too: all numbers, but not the grid of the loss. */
export const resultDiagnostics = {
  disagreement,
  disagreementMedians,
  relativeOnly,
  reintroduction,
  weightByMargin,
  weightBySign,
  sensitivity,
  sampleSize,
  combinations,
  regret,
  riskCoverage,
};
