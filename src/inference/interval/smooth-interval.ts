import { shareBelow } from '../law/skewed-law.js';
import type { BinGaps } from './bin-gaps.js';
import type { ErrorInterval } from './ece-interval.js';
import { type GapFamily, mixedGaps, shrunkGaps, smoothedGaps } from './gap-families.js';
import { kernelGrid, spread, spreadCorrelations } from './kernel-grid.js';
import { type CellShares, cellVariances, smoothLaw } from './smooth-law.js';

/** Both tails together. */
const MISS = 0.05;
/** As for the interval of ECE: from where on the tails are alike. */
const APART = 1.6449;
const HALVINGS = 12;
/**
 * By how much the law is wider than `smoothLaw` has it, which knows no gaps that differ within a bin: without it four
 * of 42 simulated rows were held in 0.927 to 0.940 of 4,000 data sets (bench/inference/README.md).
 */
const LEFT_OUT = 1.025;
const LEAST = 1e-9;
/** Cells of confidence: two to a bandwidth, in these bounds. */
const [FEWEST_CELLS, MOST_CELLS] = [24, 300];
/** A level is taken on cells this much finer. */
const FINER = 2;

/**
 * Interval of level 0.95 for the true smooth ECE (smECE of Blasiok and Nakkiran 2024 of the population), by inversion
 * of tests (Neyman 1937) with the tails of `eceInterval`. smECE is the bandwidth s at which the smoothed error e(s) is
 * s, and e falls with s: smECE of a data set is at least s exactly where its e(s) is, so that one bandwidth, the
 * measured one, is all that a test needs (`smoothLaw`). Gaps are alike within each bin of the ECE, of its families and
 * measured signs. Coverage, measured: bench/inference/README.md.
 *
 * @param bins of the ECE, by ascending confidence
 * @param confidences of the evaluation side of every split
 * @param measured the mean over splits of smECE
 * @param widening how much wider the law of ECE is than at fixed temperatures (`wideningOf`)
 */
export function smoothInterval(
  bins: BinGaps,
  confidences: readonly Float64Array[],
  measured: number,
  widening = 1,
): ErrorInterval {
  const cells = Math.min(MOST_CELLS, Math.max(FEWEST_CELLS, Math.ceil(2 / Math.max(measured, LEAST))));
  const shares = cellShares(confidences, cells);
  const grid = kernelGrid(cells, Math.max(measured, 0.5 / cells));
  const likelyGaps = smoothedGaps(bins);
  const likely = cellGaps(bins.confidences, likelyGaps, shares);
  const correlations = spreadCorrelations(grid, cellVariances(shares, likely));
  const lawAt = (gaps: Float64Array) => smoothLaw(shares, cellGaps(bins.confidences, gaps, shares), grid, correlations);
  const wide = LEFT_OUT * widening * Math.sqrt((1 + (bins.splits - 1) * bins.overlap) / bins.splits);
  const calibrated = lawAt(new Float64Array(bins.counts.length)).mean;
  const tails = (family: GapFamily, level: number) => {
    const moments = lawAt(family(level));
    const { mean, deviation } = moments;
    const apart = (mean - calibrated) / (deviation * wide * APART);
    const lower = (MISS / 2) * Math.min(1, Math.max(0, apart));
    const share = shareBelow(moments, mean + (measured - mean) / wide);
    return { below: share >= lower, above: 1 - share >= MISS - lower };
  };
  const fine = cellShares(confidences, Math.min(MOST_CELLS, FINER * cells));
  const levelOf = (gaps: Float64Array) => smoothError(fine, cellGaps(bins.confidences, gaps, fine));
  const shrunk = signedFamily(shrunkGaps(bins, 1), likelyGaps);
  const high = levelOf(shrunk(boundary((level) => tails(shrunk, level).below)));
  const near = signedFamily(mixedGaps(bins, 1), bins.gaps);
  if (bins.gaps.every((gap) => gap === 0) || tails(near, LEAST).above) return { low: 0, high };
  const low = levelOf(near(boundary((level) => !tails(near, level).above)));
  return { low: Math.min(low, high), high };
}

/**
 * smECE (Blasiok and Nakkiran 2024) of a population whose gaps are known: the bandwidth s at which the sum over cells
 * of |spread gap| is s; in [0, 1].
 */
export function smoothError({ shares }: Pick<CellShares, 'shares'>, gaps: Float64Array): number {
  const weighted = gaps.map((gap, f) => shares[f]! * gap);
  const sizeOf = (values: Float64Array) => values.reduce((sum, value) => sum + Math.abs(value), 0);
  // Smoothing makes an error smaller.
  const most = sizeOf(weighted);
  return boundary((bandwidth) => sizeOf(spread(kernelGrid(gaps.length, bandwidth), weighted)) >= bandwidth, most);
}

/** Shares and mean confidences, of several lists of confidences together, in equal cells, as Eq. (ece) has bins. */
export function cellShares(confidences: readonly Float64Array[], cells: number): CellShares {
  const [counts, sums] = [new Float64Array(cells), new Float64Array(cells)];
  for (const list of confidences) {
    for (let n = 0; n < list.length; n++) {
      const cell = Math.min(cells - 1, Math.floor(cells * list[n]!));
      counts[cell]!++;
      sums[cell]! += list[n]!;
    }
  }
  const total = counts.reduce((sum, count) => sum + count, 0);
  return {
    total: total / confidences.length,
    shares: counts.map((count) => count / total),
    confidences: counts.map((count, f) => (count === 0 ? (f + 0.5) / cells : sums[f]! / count)),
  };
}

/** Magnitudes of a family with the signs of given gaps. */
function signedFamily(family: GapFamily, signs: Float64Array): GapFamily {
  return (level) => family(level).map((magnitude, b) => ((signs[b] ?? 0) < 0 ? -magnitude : magnitude));
}

/** Gaps of the cells: those of the bin whose mean confidence is nearest. */
function cellGaps(confidences: Float64Array, gaps: Float64Array, { confidences: at }: CellShares): Float64Array {
  let b = 0;
  return at.map((confidence) => {
    while (
      b + 1 < confidences.length &&
      Math.abs(confidences[b + 1]! - confidence) < Math.abs(confidences[b]! - confidence)
    )
      b++;
    return gaps[b]!;
  });
}

/** Where a condition that holds at 0 turns false on the way to `most`; `most` where it never does. */
function boundary(holds: (level: number) => boolean, most = 1): number {
  let [low, high] = [0, most];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
