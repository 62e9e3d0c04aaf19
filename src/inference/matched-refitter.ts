import { fittable } from '../calibration/certain-rows.js';
import { matchConfidence } from '../calibration/fit/match-confidence.js';
import { type RaggedRows, takeRows } from '../numeric/ragged-rows.js';
import { confidenceCubics, fixedConfidences, type LogRange, type MethodCurves } from './method-curves.js';
import { curvesAround, type Refit, refitted } from './refitter.js';
import type { ResampledSplit } from './resampled-splits.js';

/**
 * Refits of a method that sets the mean confidence to a mean accuracy (AC of Garg et al. 2022): the root of sum_n c_n
 * (confidence_n(beta) - accuracy_n), c the multiplicities of a split, which rises with beta as L' of Eq. (firstderiv)
 * does. By cubics, as `refitter` has it, and by `matchConfidence` where those end. null: no temperature reaches it.
 *
 * @param gaps N rows of the target's logits less their largest
 * @param accuracies N shares, whose mean over a split is the accuracy that the method takes the target to have there
 * @param certain N flags of rows that no fit takes
 */
export function matchedRefitter(
  gaps: RaggedRows,
  accuracies: Float64Array,
  calibrationFraction: number,
  certain?: Uint8Array | null,
): (split: ResampledSplit) => Refit | null {
  const all = fittable(
    Int32Array.from(accuracies, (_, n) => n),
    certain,
  );
  const whole = matchConfidence(certain == null ? gaps : takeRows(gaps, all), 1 - meanOf(accuracies, all));
  const curves =
    whole.kind !== 'finite'
      ? null
      : matchedAround({ gaps, accuracies, certain }, Math.log(whole.inverseTemperature), calibrationFraction);
  return (split) => {
    const x = curves === null ? null : refitted(curves.slopes, split);
    return curves !== null && x !== null
      ? { cubics: curves.confidences, x, general: 0 }
      : generalMatch({ gaps, accuracies, certain }, split);
  };
}

interface Matching {
  readonly gaps: RaggedRows;
  readonly accuracies: Float64Array;
  readonly certain: Uint8Array | null | undefined;
}

function matchedAround(matching: Matching, center: number, calibrationFraction: number): MethodCurves {
  const curves = (reach: number) => matchedCurves(matching, { center, reach });
  return curvesAround({ slopes: (reach) => curves(reach).slopes, curves }, calibrationFraction);
}

/** A row's share of the equation is its confidence less a number; a row that no fit takes has none. */
function matchedCurves({ gaps, accuracies, certain }: Matching, range: LogRange): MethodCurves {
  const confidences = confidenceCubics(gaps, range);
  const slopes = confidences.slice();
  for (const [n, accuracy] of accuracies.entries()) {
    slopes[4 * n] = (slopes[4 * n] ?? 0) - accuracy;
    if (certain?.[n] === 1) slopes.fill(0, 4 * n, 4 * n + 4);
  }
  return { range, slopes, confidences };
}

function generalMatch({ gaps, accuracies, certain }: Matching, split: ResampledSplit): Refit | null {
  const side = fittable(split.calibration, certain);
  const rows = Int32Array.from([...side].flatMap((n) => new Array<number>(split.counts[n] ?? 0).fill(n)));
  const outcome = matchConfidence(takeRows(gaps, rows), 1 - meanOf(accuracies, rows));
  if (outcome.kind === 'none') return null;
  const beta = outcome.kind === 'infinite' ? 0 : outcome.inverseTemperature;
  return { cubics: fixedConfidences(gaps, beta), x: 0, general: 1 };
}

function meanOf(values: Float64Array, rows: Int32Array): number {
  return rows.reduce((sum, n) => sum + (values[n] ?? 0), 0) / rows.length;
}
