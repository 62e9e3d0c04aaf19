import { fitTemperature } from '../calibration/fit/fit-temperature.js';
import type { TeacherAlignment } from '../calibration/fit/teacher-alignment.js';
import type { RaggedRows } from '../numeric/ragged-rows.js';
import {
  type Cubics,
  fixedConfidences,
  type MethodCurves,
  methodCurves,
  rootOfCubic,
  slopeCubics,
} from './method-curves.js';
import type { ResampledSplit } from './resampled-splits.js';

/** Confidences at a refitted temperature: the values of cubics at one x. */
export interface Refit {
  readonly cubics: Cubics;
  readonly x: number;
  /** 1 when it went the general path. */
  readonly general: 0 | 1;
}

/** What refits one method; `weights` is Eq. (weights) for all N rows. */
export type Refitter = (weights: Float64Array, split: ResampledSplit) => Refit | null;

/**
 * Refits of Eq. (tempobj) with the multiplicities of a split as weights, by `methodCurves`: Newton on the summed cubic,
 * as near to the exact root as a cubic through Chebyshev's nodes (measured: 1e-3 of its deviation). One that leaves
 * their range, or that has no finite root, goes the general path of `fitTemperature`. Cubics are made once per array of
 * weights. null: the split has no fit.
 *
 * @param applied rows, each less its largest, that the temperature is put on
 */
export function refitter(
  alignment: TeacherAlignment,
  calibrationFraction: number,
  applied: RaggedRows = alignment.gaps,
): Refitter {
  const known = new Map<Float64Array, MethodCurves | null>();
  return (weights, split) => {
    let curves = known.get(weights);
    if (curves === undefined) {
      curves = curvesOf(alignment, weights, calibrationFraction, applied);
      known.set(weights, curves);
    }
    const x = curves === null ? null : refitted(curves.slopes, split);
    if (curves !== null && x !== null) return { cubics: curves.confidences, x, general: 0 };
    return generalFit(alignment, weights, split, applied);
  };
}

/** Cubics of confidences that no refit changes (Guo et al. 2017: temperature 1, or a method without one). */
export function unfitted(confidences: Float64Array): Refit {
  const cubics = new Float64Array(4 * confidences.length);
  for (const [n, confidence] of confidences.entries()) cubics[4 * n] = confidence;
  return { cubics, x: 0, general: 0 };
}

/** The confidence of row n at a refit, the cubic in ln(beta) of `methodCurves` (Press et al. 2007, Sec. 5.8). */
export function confidenceAt({ cubics, x }: Refit, n: number): number {
  const at = 4 * n;
  return (cubics[at] ?? 0) + x * ((cubics[at + 1] ?? 0) + x * ((cubics[at + 2] ?? 0) + x * (cubics[at + 3] ?? 0)));
}

/** Root of Eq. (firstderiv), the weighted sum of slopes over the calibration side; null: outside the cubics' range. */
export function refitted(slopes: Cubics, { calibration, counts }: ResampledSplit): number | null {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0; i < calibration.length; i++) {
    const n = calibration[i]!;
    const count = counts[n]!;
    a += count * slopes[4 * n]!;
    b += count * slopes[4 * n + 1]!;
    c += count * slopes[4 * n + 2]!;
    d += count * slopes[4 * n + 3]!;
  }
  return rootOfCubic(a, b, c, d);
}

/** Deviations of ln(beta) that the cubics span, and their least and largest span. */
const SPANNED = 5;
const [LEAST_REACH, MOST_REACH] = [0.05, 1];

/** Cubics around the fit to all rows, as far as refits will scatter; null where that fit is not finite. */
function curvesOf(
  alignment: TeacherAlignment,
  weights: Float64Array,
  calibrationFraction: number,
  applied: RaggedRows,
): MethodCurves | null {
  const outcome = fitTemperature(alignment, weights);
  if (outcome.kind !== 'finite') return null;
  const center = Math.log(outcome.inverseTemperature);
  return curvesAround(
    {
      slopes: (reach) => slopeCubics(alignment, weights, { center, reach }),
      curves: (reach) => methodCurves(alignment, weights, { center, reach }, applied),
    },
    calibrationFraction,
  );
}

/**
 * The curves of Eq. (firstderiv) as far around a fit to all rows as refits will scatter, by their standard error there.
 *
 * @param given the curves of a reach in ln(beta), and their slopes alone
 */
export function curvesAround(
  given: { readonly slopes: (reach: number) => Cubics; readonly curves: (reach: number) => MethodCurves },
  calibrationFraction: number,
): MethodCurves {
  const first = given.slopes(LEAST_REACH);
  let [square, rise] = [0, 0];
  for (let at = 0; at < first.length; at += 4) {
    square += (first[at] ?? 0) ** 2;
    rise += (first[at + 1] ?? 0) / LEAST_REACH;
  }
  const deviation = Math.sqrt(square / calibrationFraction) / rise;
  return given.curves(Math.min(MOST_REACH, Math.max(LEAST_REACH, SPANNED * deviation)));
}

/** The fit of `fitTemperature` to the calibration side. */
function generalFit(
  alignment: TeacherAlignment,
  weights: Float64Array,
  split: ResampledSplit,
  applied: RaggedRows,
): Refit | null {
  const counted = new Float64Array(weights.length);
  for (const n of split.calibration) counted[n] = (weights[n] ?? 0) * (split.counts[n] ?? 0);
  const outcome = fitTemperature(alignment, counted);
  if (outcome.kind === 'none') return null;
  const beta = outcome.kind === 'infinite' ? 0 : outcome.inverseTemperature;
  return { cubics: fixedConfidences(applied, beta), x: 0, general: 1 };
}
