import { z } from 'zod';
import { count, fraction } from './number-fields.js';

/** Rates of errors that thresholds are looked for. */
export const MAX_ERRORS = [0.01, 0.02, 0.05, 0.1, 0.2] as const;

/** Level of each guarantee and of the intervals. */
export const THRESHOLD_LEVEL = 0.95;

/** How thresholds are found, in words that stand in artefacts. */
export const THRESHOLD_RULE =
  'guaranteed: the lowest confidence above which new questions have at most maxError wrong answers, true with ' +
  'probability 0.95 for each maxError (selective risk, Geifman and El-Yaniv 2017; Learn then Test, Angelopoulos et al. ' +
  '2021, exact binomial tails over the surest 1/64 to 64/64 with the fallback procedure of Wiens 2003); estimated: the ' +
  'lowest one above which the mean of 1 - confidence is at most maxError, which holds as far as confidences are ' +
  'calibrated';

/** A question is answered where its confidence is at or above `threshold`. */
const guaranteedThreshold = z.object({
  threshold: fraction,
  /** Labelled examples at or above it, and the wrong ones among them. */
  answered: count,
  errors: count,
  /** Share of questions, with an interval of level 0.95 for new ones. */
  coverage: fraction,
  coverageLow: fraction,
  coverageHigh: fraction,
  /** Share of wrong answers among them; its interval holds for all thresholds at once. */
  risk: fraction,
  riskLow: fraction,
  riskHigh: fraction,
});

const estimatedThreshold = z.object({
  threshold: fraction,
  coverage: fraction,
  /** Mean of 1 - confidence above it. */
  risk: fraction,
  /** Share of wrong answers that labels show above it; null: no example there has a label. */
  observedRisk: fraction.nullable(),
});

/** From which confidence on a model may answer alone, for one rate of errors. */
export const thresholdPoint = z.object({
  maxError: fraction,
  /** From labels; null: none is shown to keep to it, or there are no labels. */
  guaranteed: guaranteedThreshold.nullable(),
  /** From confidences alone; null: even the surest answer has more doubt. */
  estimated: estimatedThreshold.nullable(),
});

/**
 * Thresholds of one method (`vanilla`: before calibration) on the evaluation side of the first seed, for each of
 * `MAX_ERRORS`. What is guaranteed is true with the probability `level` for each of them (`guaranteedThresholds` of
 * src/inference says how).
 */
export const thresholdsSchema = z.object({
  dataset: z.string(),
  target: z.string(),
  method: z.string(),
  combinationSize: z.int().min(1).max(1e6).nullable(),
  seed: z.int(),
  level: fraction,
  /** Labelled examples behind `guaranteed`; all examples behind `estimated`. */
  labelled: count,
  examples: count,
  points: z.array(thresholdPoint),
});

export type ThresholdPoint = z.infer<typeof thresholdPoint>;
export type Thresholds = z.infer<typeof thresholdsSchema>;
