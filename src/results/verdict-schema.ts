import { z } from 'zod';
import {
  combinationSizeOrNull,
  count,
  fractionOrNull,
  numberOrNull,
  points,
  pointsOrNull,
  spreadOrNull,
} from './number-fields.js';

/** A method with its temperature: geometric mean over the splits that have one, null where most have none. */
const methodTemperature = z.object({
  method: z.string(),
  combinationSize: combinationSizeOrNull,
  /** What tables call the method, without a mark of experimental ones. */
  label: z.string(),
  temperature: numberOrNull,
  temperatureKind: z.enum(['finite', 'infinite']),
});

/** A mean ECE with its interval of level 0.95; ends null where none was made. */
const eceWithInterval = z.object({ ecePp: points, lowPp: pointsOrNull, highPp: pointsOrNull });

/**
 * What to do with one target on one data set.
 *
 * `use`: one temperature is calibrated as far as the labelled questions can show. `any-of`: several are, and cannot be
 * told apart. `improves`: some error is left, and a fit on labels does not take it away. `not-enough`: labels do
 * clearly better, or no label-free temperature is better than none. `already-calibrated`: the model as it is shows no
 * error. `unknown`: without labels, or with too few, nothing was checked. `none`: no method has a temperature.
 */
const KINDS = [
  ...(['use', 'any-of', 'improves', 'not-enough', 'already-calibrated', 'unknown', 'none'] as const),
] as const;

export const verdictSchema = z.object({
  dataset: z.string(),
  target: z.string(),
  ownBase: z.string(),
  kind: z.enum(KINDS),
  /** The verdict in one sentence, with its reason; without the names of target and data set. */
  sentence: z.string(),
  /** The temperature to use; null: the model as it is. */
  use: methodTemperature.nullable(),
  /** Methods that cannot be told from the best of them, that of `use` first; empty where nothing was tested. */
  alike: z.array(methodTemperature),
  /**
   * `rule`: taken by a fixed order of methods that no label has a part in; labels, where there are some, did not rule
   * it out. `labels`: the labels of the evaluation examples ruled out what the rule takes.
   */
  chosenBy: z.enum(['rule', 'labels']).nullable(),
  /** What the labels ruled out although the rule would have taken it, as tables call it. */
  ruledOut: z.array(z.string()),
  /** Labelled examples behind an ECE (the fewest over splits), and examples behind a temperature. */
  labelledCount: count,
  calibrationCount: count,
  /** Means over splits: share of right answers of the model and of its base, mean confidence before and after. */
  accuracy: fractionOrNull,
  ownBaseAccuracy: fractionOrNull,
  claimedBefore: fractionOrNull,
  claimedAfter: fractionOrNull,
  before: eceWithInterval.nullable(),
  /** With the temperature of `use`. */
  after: eceWithInterval.nullable(),
  /** What a calibrated model with the confidences of `after` would show, and how often at least as much. */
  calibrated: z.object({ meanPp: points, highPp: points, pValue: fractionOrNull }).nullable(),
  /** ECE of `after` less what a calibrated model would show, not below 0. */
  leftPp: spreadOrNull,
  /** The fit on the labels of the calibration split. */
  labelledFit: eceWithInterval.nullable(),
  /**
   * From the curve over calibration sizes: questions without labels whose temperature is as good as that of all (within
   * 0.5 pp), labels whose fit is as good, and labels whose fit is better by more than 0.5 pp; null: none of the sizes
   * tried, the largest of which is `tried`.
   */
  sizes: z
    .object({
      unlabelledEnough: count.nullable(),
      labelsAsGood: count.nullable(),
      labelsBetter: count.nullable(),
      tried: count,
    })
    .nullable(),
});

export type Verdict = z.infer<typeof verdictSchema>;
export type MethodTemperature = z.infer<typeof methodTemperature>;
