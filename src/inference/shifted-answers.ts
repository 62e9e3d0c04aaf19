import { BinTally } from '../metrics/bins/bin-tally.js';
import { binIndex, DEFAULT_BINNING } from '../metrics/bins/binning.js';
import { reliabilityBins } from '../metrics/bins/reliability-bins.js';
import { binGaps, binnedError } from './bin-gaps.js';
import { smoothedGaps } from './gap-families.js';
import { confidenceAt, type Refit } from './refitter.js';
import type { ResampledSplit } from './resampled-splits.js';

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
 * Answers whose gaps in the bins of Eq. (ece) are the likely true ones, `smoothedGaps` u_b, in place of the measured
 * d_b: right_n + d_b - u_b. Resamples of the answers as they are scatter around the measured gaps, which are noise
 * themselves where a model is calibrated, and their ECE is then larger and wider than that of new data. The shift
 * belongs to the example, whatever bin a refitted temperature puts it into.
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

/**
 * Measures the evaluation side of a split with multiplicities m_n: ECE, Eq. (ece), sum_b |sum_n m_n (conf_n -
 * answer_n)| / sum_n m_n, the mean of sign_n (conf_n - right_n), and that of conf_n - right_n. The array of the three
 * is used again; NaN where no example is measured.
 */
export function splitMeasurer(
  { answers, signs }: ShiftedAnswers,
  correct: Int8Array,
  binCount = DEFAULT_BINNING.bins,
): (split: ResampledSplit, fit: Refit) => Float64Array {
  const { edges } = new BinTally(binCount);
  const sums = new Float64Array(binCount);
  const measured = new Float64Array(3);
  return ({ evaluation, counts }, fit) => {
    sums.fill(0);
    let [total, signed, over] = [0, 0, 0];
    for (let i = 0; i < evaluation.length; i++) {
      const n = evaluation[i] ?? 0;
      const answer = answers[n] ?? Number.NaN;
      if (Number.isNaN(answer)) continue;
      const count = counts[n] ?? 0;
      const confidence = confidenceAt(fit, n);
      const bin = binIndex(confidence, edges, false);
      sums[bin] = (sums[bin] ?? 0) + count * (confidence - answer);
      const gap = count * (confidence - (correct[n] ?? 0));
      signed += (signs[n] ?? 0) * gap;
      over += gap;
      total += count;
    }
    let absolute = 0;
    for (let b = 0; b < binCount; b++) absolute += Math.abs(sums[b] ?? 0);
    measured[0] = absolute / total;
    measured[1] = signed / total;
    measured[2] = over / total;
    return measured;
  };
}
