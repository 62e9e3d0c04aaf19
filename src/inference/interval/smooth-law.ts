import { erf } from '../../numeric/folded-normal.js';
import type { Moments } from '../law/skewed-law.js';
import { gathered, type KernelGrid, spread } from './kernel-grid.js';

/** What smooth ECE is made of: shares of examples in cells of confidence, and how many there are. */
export interface CellShares {
  /** N of one split. */
  readonly total: number;
  /** F shares that sum to 1. */
  readonly shares: Float64Array;
  /** F mean confidences; the middle of the cell where it is empty. */
  readonly confidences: Float64Array;
}

/** Terms of Mehler's sum: the covariance of two folded normals is known to a hundredth of the variance. */
const TERMS = 6;
const LEAST_DEVIATION = 1e-12;

/**
 * The law of the smoothed error of N examples at one bandwidth, sum_j |mu_j + W_j| over the cells of the grid, if the
 * true gaps were known: mu_j the spread gap and W_j the spread noise, normal. Its mean is that of folded normals
 * (Leone, Nelson and Nottingham 1961); its variance sums covariances of folded normals by Mehler's (1866) series, cov =
 * s_j s_k sum_n rho^n a_n(m_j) a_n(m_k) / n!, a_n the n-th derivative of E|m + Z|; its skewness is that of as many
 * independent stretches as the covariances show. To the variance comes that of the counts, Var(h g) / N, h_f the mean
 * sign of the spread noise and gap over the cells that cell f is spread over.
 *
 * @param gaps F true gaps confidence - accuracy, signed; cut where an accuracy would leave [0, 1]
 * @param correlations rows of `spreadCorrelations`
 */
export function smoothLaw(
  cells: CellShares,
  gaps: Float64Array,
  grid: KernelGrid,
  correlations: Float64Array,
): Moments {
  const { total, shares, confidences } = cells;
  const kept = gaps.map((gap, f) => Math.min(confidences[f]!, Math.max(confidences[f]! - 1, gap)));
  const variances = cellVariances(cells, kept);
  const centres = spread(
    grid,
    kept.map((gap, f) => shares[f]! * gap),
  );
  const deviations = spread(grid, variances, 2).map(Math.sqrt);
  const derivatives = foldedDerivatives(centres, deviations);
  const width = 4 * grid.reach + 1;
  const slopes = new Float64Array(grid.cells);
  let [mean, variance, third] = [0, 0, 0];
  for (let j = 0; j < grid.cells; j++) {
    const own = derivatives.subarray(j * (TERMS + 2), (j + 1) * (TERMS + 2));
    mean += deviations[j] === 0 ? Math.abs(centres[j]!) : deviations[j]! * own[0]!;
    slopes[j] = deviations[j] === 0 ? Math.sign(centres[j]!) : own[1]!;
    if (deviations[j] === 0) continue;
    let around = 0;
    const last = Math.min(grid.cells - 1, j + 2 * grid.reach);
    for (let k = Math.max(0, j - 2 * grid.reach); k <= last; k++) {
      const other = derivatives.subarray(k * (TERMS + 2), (k + 1) * (TERMS + 2));
      around += deviations[k]! * mehler(own, other, correlations[j * width + k - j + 2 * grid.reach]!);
    }
    const alone = deviations[j]! * mehler(own, own, 1);
    variance += deviations[j]! * around;
    third += deviations[j]! * own[TERMS + 1]! * around * around * (deviations[j]! / alone) ** 2;
  }
  const parts = gathered(grid, slopes).map((slope, f) => slope * kept[f]!);
  const [level, square] = [shareSum(shares, parts, (part) => part), shareSum(shares, parts, (part) => part * part)];
  const deviation = Math.max(LEAST_DEVIATION, Math.sqrt(variance + Math.max(0, square - level * level) / total));
  return { mean, deviation, skewness: third / deviation ** 3 };
}

/**
 * Variances of what noise adds to the error of each cell (Broecker and Smith 2007): share x accuracy (1 - accuracy) /
 * N.
 */
export function cellVariances({ total, shares, confidences }: CellShares, gaps: Float64Array): Float64Array {
  return gaps.map((gap, f) => {
    const accuracy = confidences[f]! - gap;
    return (shares[f]! * Math.max(0, accuracy * (1 - accuracy))) / total;
  });
}

/** Per cell E|m + Z| and its first six derivatives in m = mu / s, then the third cumulant of |m + Z|. */
function foldedDerivatives(centres: Float64Array, deviations: Float64Array): Float64Array {
  const rows = new Float64Array(centres.length * (TERMS + 2));
  for (const [j, deviation] of deviations.entries()) {
    if (deviation === 0) continue;
    const m = Math.abs(centres[j]!) / deviation;
    const sign = centres[j]! < 0 ? -1 : 1;
    const twice = Math.sqrt(2 / Math.PI) * Math.exp((-m * m) / 2);
    const slope = erf(m / Math.SQRT2);
    const [first, square] = [twice + m * slope, m * m];
    const raw = (square * m + 3 * m) * slope + (square + 2) * twice;
    rows.set(
      [
        ...[first, sign * slope, twice, -sign * m * twice, (square - 1) * twice, -sign * m * (square - 3) * twice],
        ...[(square * square - 6 * square + 3) * twice, raw - 3 * first * (1 + square) + 2 * first ** 3],
      ],
      j * (TERMS + 2),
    );
  }
  return rows;
}

/** sum over n from 1 of rho^n a_n b_n / n!. */
function mehler(a: Float64Array, b: Float64Array, correlation: number): number {
  let [sum, factor] = [0, 1];
  for (let n = 1; n <= TERMS; n++) {
    factor *= correlation / n;
    sum += factor * a[n]! * b[n]!;
  }
  return sum;
}

function shareSum(shares: Float64Array, gaps: Float64Array, of: (gap: number) => number): number {
  return gaps.reduce((sum, gap, f) => sum + shares[f]! * of(gap), 0);
}
