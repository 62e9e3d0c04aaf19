import { BinTally } from '../metrics/bin-tally.js';
import { binIndex, DEFAULT_BINNING } from '../metrics/binning.js';
import { reliabilityBins } from '../metrics/reliability-bins.js';
import { binGaps, binnedError } from './bin-gaps.js';
import { smoothedGaps } from './gap-families.js';

/** Answers of a world to resample from. */
export interface ShiftedAnswers {
  /** ECE of that world, in [0, 1]. */
  readonly level: number;
  /** N: 1 or 0 and the shift of the example's bin; NaN where nothing is measured. */
  readonly answers: Float64Array;
  /** N: the sign of the likely gap of the example's bin; 0 where nothing is measured. */
  readonly signs: Float64Array;
}

/**
 * Answers whose gaps in the bins of Eq. (ece) are the likely true ones, `smoothedGaps` u_b, in place of the measured d_b: right_n + d_b - u_b. Resamples of the
 * answers as they are scatter around the measured gaps, which are noise themselves where a model is calibrated, and their ECE is then
 * larger and wider than that of new data. The shift belongs to the example, whatever bin a refitted temperature puts it into.
 *
 * @param correct 1 right, 0 wrong, -1 not measured
 */
export function shiftedAnswers(
  confidences: Float64Array,
  correct: Int8Array,
  binCount = DEFAULT_BINNING.bins,
): ShiftedAnswers {
  const measured = Int32Array.from(correct.keys()).filter((n) => correct[n] !== -1);
  const answers = new Float64Array(correct.length).fill(Number.NaN);
  const signs = new Float64Array(correct.length);
  if (measured.length === 0) return { level: 0, answers, signs };
  const bins = reliabilityBins(
    Float64Array.from(measured, (n) => confidences[n] ?? 0),
    Float64Array.from(measured, (n) => correct[n] ?? 0),
    { bins: binCount },
  );
  const gaps = binGaps([bins]);
  const likely = smoothedGaps(gaps);
  const [shifts, signOf] = [new Float64Array(binCount), new Float64Array(binCount)];
  let filled = 0;
  for (const [b, { count, overconfidence }] of bins.entries()) {
    if (count === 0) continue;
    const gap = likely[filled++] ?? 0;
    shifts[b] = (overconfidence ?? 0) - gap;
    signOf[b] = gap < 0 ? -1 : 1;
  }
  const { edges } = new BinTally(binCount);
  for (const n of measured) {
    const bin = binIndex(confidences[n] ?? 0, edges, false);
    answers[n] = (correct[n] ?? 0) + (shifts[bin] ?? 0);
    signs[n] = signOf[bin] ?? 0;
  }
  return { level: binnedError(gaps, likely, 1), answers, signs };
}
