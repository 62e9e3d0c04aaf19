import { type Binning, DEFAULT_BINNING } from '../metrics/bins/binning.js';
import { reliabilityBin } from '../metrics/bins/reliability-bin.js';
import { binGaps, binnedError } from './interval/bin-gaps.js';
import { smoothedGaps } from './interval/gap-families.js';
import type { Refit } from './refitter.js';
import type { ResampledSplit } from './resampled-splits.js';
import { binFinder, type FindBin } from './row-bins.js';

/** Answers of a world to resample from. */
export interface ShiftedAnswers {
  /** ECE of that world, in [0, 1]. */
  readonly level: number;
  /** N: 1 or 0 and the shift of the example's bin; NaN where nothing is measured. */
  readonly answers: Float64Array;
  /** N: the sign of the likely gap of the example's bin; 0 where nothing is measured. */
  readonly signs: Float64Array;
  /** Where a resample puts an example. */
  readonly binOf: FindBin;
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
  binning: Binning = DEFAULT_BINNING,
): ShiftedAnswers {
  const measured = Int32Array.from(correct.keys()).filter((n) => correct[n] !== -1);
  const answers = new Float64Array(correct.length).fill(Number.NaN);
  const signs = new Float64Array(correct.length);
  const binOf = binFinder(confidences, measured, binning);
  if (measured.length === 0) return { level: 0, answers, signs, binOf };
  const sums = Array.from({ length: binning.bins }, () => ({ count: 0, hits: 0, confidence: 0 }));
  for (const n of measured) {
    const sum = sums[binOf(n, confidences[n] ?? 0)]!;
    sum.count++;
    sum.hits += correct[n] ?? 0;
    sum.confidence += confidences[n] ?? 0;
  }
  const bins = sums.map(({ count, hits, confidence }) => reliabilityBin([0, 1], count, hits, confidence));
  const gaps = binGaps([bins]);
  const likely = smoothedGaps(gaps);
  const [shifts, signOf] = [new Float64Array(binning.bins), new Float64Array(binning.bins)];
  let filled = 0;
  for (const [b, { count, overconfidence }] of bins.entries()) {
    if (count === 0) continue;
    const gap = likely[filled++] ?? 0;
    shifts[b] = (overconfidence ?? 0) - gap;
    signOf[b] = gap < 0 ? -1 : 1;
  }
  for (const n of measured) {
    const bin = binOf(n, confidences[n] ?? 0);
    answers[n] = (correct[n] ?? 0) + (shifts[bin] ?? 0);
    signs[n] = signOf[bin] ?? 0;
  }
  return { level: binnedError(gaps, likely, 1), answers, signs, binOf };
}

/** Numbers kept per example, side by side: the answer, 1 or 0 for right, the sign, and 1 for measured or 0 for not. */
const FIELDS = 4;

/**
 * Measures the evaluation side of a split with multiplicities m_n: ECE, Eq. (ece), sum_b |sum_n m_n (conf_n -
 * answer_n)| / sum_n m_n, the mean of sign_n (conf_n - right_n), and that of conf_n - right_n. The array of the three
 * is used again; NaN where no example is measured.
 */
export function splitMeasurer(
  world: ShiftedAnswers,
  correct: Int8Array,
  binCount = DEFAULT_BINNING.bins,
): (split: ResampledSplit, fit: Refit) => Float64Array {
  const rows = measuredRows(world, correct);
  const sums = new Float64Array(binCount);
  const measured = new Float64Array(3);
  return (split, fit) => {
    sums.fill(0);
    addRows({ rows, sums, binOf: world.binOf, measured }, split, fit);
    const total = measured[0] ?? 0;
    let absolute = 0;
    for (let b = 0; b < binCount; b++) absolute += Math.abs(sums[b] ?? 0);
    measured[0] = absolute / total;
    measured[1] = (measured[1] ?? 0) / total;
    measured[2] = (measured[2] ?? 0) / total;
    return measured;
  };
}

function measuredRows({ answers, signs }: ShiftedAnswers, correct: Int8Array): Float64Array {
  const rows = new Float64Array(FIELDS * correct.length);
  for (let n = 0; n < correct.length; n++) {
    if (Number.isNaN(answers[n])) continue;
    rows.set([answers[n] ?? 0, correct[n] ?? 0, signs[n] ?? 0, 1], FIELDS * n);
  }
  return rows;
}

interface Measuring {
  readonly rows: Float64Array;
  /** Sums of m_n (conf_n - answer_n) by bin. */
  readonly sums: Float64Array;
  readonly binOf: FindBin;
  /** Gets the sums of m_n, of sign_n m_n (conf_n - right_n), and of m_n (conf_n - right_n). */
  readonly measured: Float64Array;
}

/** This loop is most of the time of a bootstrap: an example that is not measured counts 0 times, without a branch. */
function addRows({ rows, sums, binOf, measured }: Measuring, { evaluation, counts }: ResampledSplit, fit: Refit): void {
  const { cubics, x } = fit;
  let [total, signed, over] = [0, 0, 0];
  for (let i = 0; i < evaluation.length; i++) {
    const n = evaluation[i]!;
    const at = FIELDS * n;
    const count = counts[n]! * rows[at + 3]!;
    const confidence = cubics[at]! + x * (cubics[at + 1]! + x * (cubics[at + 2]! + x * cubics[at + 3]!));
    sums[binOf(n, confidence)]! += count * (confidence - rows[at]!);
    const gap = count * (confidence - rows[at + 1]!);
    signed += rows[at + 2]! * gap;
    over += gap;
    total += count;
  }
  measured[0] = total;
  measured[1] = signed;
  measured[2] = over;
}
