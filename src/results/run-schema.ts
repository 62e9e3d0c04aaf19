import { z } from 'zod';
import { METRICS, type MetricField } from '../metrics/metrics.js';
import {
  addedFraction,
  addedNumber,
  combinationSizeOrNull,
  count,
  fractionOrNull,
  numberOrNull,
} from './number-fields.js';

/** The fields of all metrics, each a number or null. */
const metricShape = Object.fromEntries(
  METRICS.map(({ field, added, unit }) => {
    if (unit === 'nats' || unit === 'plain') return [field, added ? addedNumber : numberOrNull];
    return [field, added ? addedFraction : fractionOrNull];
  }),
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
  combinationSize: combinationSizeOrNull,
  seed: z.int(),
  calibrationCount: count,
  /** Examples of the evaluation split with usable logits, labelled or not. */
  evaluationCount: count,
  /** Those of them that have a label: the rows behind every metric. */
  labelledCount: count,
  /** Share of the labelled evaluation examples that the method has an answer to; null: it answers all by nature. */
  coverage: addedFraction,
  temperature: numberOrNull,
  temperatureKind: z.enum(['finite', 'infinite', 'none']),
  /** Why there is no finite temperature; null when there is one or the method has none by nature. */
  temperatureReason: z.string().nullable(),
  /**
   * Whether the fit ended at its optimum; true for every fit that is here (another one is an error), null without a
   * fit.
   */
  converged: z.boolean().nullable().default(null),
  /** |L'| at the last evaluation of a finite fit, relative to the size of its terms; `infinite` needs no iteration. */
  fitResidual: addedNumber,
  /** Evaluations of L'. */
  fitIterations: count.nullable().default(null),
  weightedBoundaryMargin: numberOrNull,
  selectedReferences: z.array(z.string()).nullable(),
  /** DS of the selected combination, Eq. (ds); null when nothing was selected. */
  disagreementSupport: fractionOrNull,
  /** The accuracy that confidence-matched or accuracy-matched took the target to have, without labels. */
  estimatedAccuracy: addedFraction,
  /** |D| / N on the calibration split; null when it has no usable example. */
  disagreementRate: fractionOrNull,
  /** There where `nll` is null because a label has the probability 0 and the loss is infinite. */
  nllKind: z.literal('infinite').optional(),
  ...metricShape,
});

export type RunResult = z.infer<typeof runSchema>;
