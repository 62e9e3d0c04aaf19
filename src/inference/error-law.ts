import { type SeededGenerator, seededGenerator } from '../numeric/random/seeded-generator.js';
import { type BinGaps, binnedError, type ErrorPower } from './bin-gaps.js';
import { normalQuantile } from './detectable-difference.js';
import { uniformDraw } from './normal-draws.js';

/** Draws of a law. */
export const LAW_DRAWS = 1000;
const SEED = 20261128;
/** A skewness above this has left the range of the expansion. */
const MOST_SKEW = 1;

/** What a binned error would be in many data sets, if the true gaps were known. */
export interface ErrorLaw {
  /** The true error, in [0, 1]. */
  readonly level: number;
  /** LAW_DRAWS measured errors, in no order. */
  readonly draws: Float64Array;
}

/**
 * The law of the measured ECE (mean over S splits) given true gaps of u_b, of the signs that were measured:
 *
 *   ECE* = (1/S) sum_s sum_b (n_b / N) |u_b - sqrt(v_b / n_b) (Z_sb + k_b (Z_sb^2 - 1) / 6)| + W
 *
 * with p_b = conf_b -+ u_b the accuracy in the bin, v_b = p_b (1 - p_b), k_b the skewness of a binomial share (the
 * first Cornish-Fisher term, Cornish and Fisher 1938), Z_sb normal with the splits' overlap as correlation over s, and
 * W normal of variance Var_b(u_b) / N: counts vary as well. For power 2 the sum is of squares and its root is taken.
 * Bins are held fixed. The draws of every Z are the quantiles of its law in random order (Latin hypercube, McKay,
 * Beckman and Conover 1979) without correlation, the same for all u, so the law moves smoothly.
 *
 * @param magnitudes u_b, 0 or above; cut where an accuracy would leave [0, 1]
 */
export function errorLaw(bins: BinGaps, magnitudes: Float64Array, power: ErrorPower): ErrorLaw {
  const { total, counts, confidences, gaps, splits } = bins;
  const normals = normalsOf(counts.length, splits, bins.overlap);
  const sums = new Float64Array(splits * LAW_DRAWS);
  const kept = new Float64Array(counts.length);
  for (const [b, count] of counts.entries()) {
    const confidence = confidences[b] ?? 0;
    const sign = (gaps[b] ?? 0) < 0 ? -1 : 1;
    const accuracy = Math.min(1, Math.max(0, confidence - sign * (magnitudes[b] ?? 0)));
    kept[b] = confidence - accuracy;
    const own = normals.subarray(b * sums.length, (b + 1) * sums.length);
    addBin(sums, own, [count / total, count, confidence, accuracy], power);
  }
  const level = binnedError(bins, kept, 1);
  const rms = binnedError(bins, kept, 2);
  const counting = power === 1 ? Math.sqrt(Math.max(0, rms * rms - level * level) / total) : 0;
  const shared = normals.subarray(counts.length * sums.length);
  const draws = new Float64Array(LAW_DRAWS);
  for (let r = 0; r < LAW_DRAWS; r++) {
    let mean = 0;
    for (let s = 0; s < splits; s++) {
      const sum = sums[s * LAW_DRAWS + r] ?? 0;
      mean += power === 1 ? sum : Math.sqrt(sum);
    }
    draws[r] = mean / splits + counting * (shared[r] ?? 0);
  }
  return { level: power === 1 ? level : rms, draws };
}

/** Adds one bin to the sums of all splits and draws. */
function addBin(
  sums: Float64Array,
  normals: Float64Array,
  [share, count, confidence, accuracy]: readonly [number, number, number, number],
  power: ErrorPower,
): void {
  const variance = accuracy * (1 - accuracy);
  const deviation = Math.sqrt(variance / count);
  const skew = variance === 0 ? 0 : (1 - 2 * accuracy) / Math.sqrt(count * variance);
  const bend = Math.min(MOST_SKEW, Math.max(-MOST_SKEW, skew)) / 6;
  const gap = confidence - accuracy;
  for (let i = 0; i < normals.length; i++) {
    const z = normals[i] ?? 0;
    const drawn = Math.abs(gap - deviation * (z + bend * (z * z - 1)));
    sums[i] = (sums[i] ?? 0) + share * (power === 1 ? drawn : drawn * drawn);
  }
}

const known = new Map<string, Float64Array>();

/** Per bin S x LAW_DRAWS normals, correlated over the splits, and LAW_DRAWS more. */
function normalsOf(bins: number, splits: number, overlap: number): Float64Array {
  const key = `${bins} ${splits} ${overlap}`;
  const made = known.get(key) ?? makeNormals(bins, splits, overlap);
  known.set(key, made);
  return made;
}

function makeNormals(bins: number, splits: number, overlap: number): Float64Array {
  const generator = seededGenerator(SEED);
  const quantiles = normalQuantiles(LAW_DRAWS);
  const columns: Float64Array[] = [];
  const column = () => {
    const next = uncorrelated(shuffled(quantiles, generator), columns);
    columns.push(next);
    return next;
  };
  const normals = new Float64Array(bins * splits * LAW_DRAWS + LAW_DRAWS);
  normals.set(column(), bins * splits * LAW_DRAWS);
  for (let b = 0; b < bins; b++) {
    const common = column();
    for (let s = 0; s < splits; s++) {
      const own = overlap < 1 ? column() : common;
      const [near, far] = overlap < 1 ? [Math.sqrt(overlap), Math.sqrt(1 - overlap)] : [1, 0];
      const mixed = own.map((z, r) => near * (common[r] ?? 0) + far * z);
      normals.set(mixed, (b * splits + s) * LAW_DRAWS);
    }
  }
  return normals;
}

/**
 * The column less its projections on earlier ones, at variance 1: chance correlations of 1000 draws would move the
 * width of every interval by some percent.
 */
function uncorrelated(column: Float64Array, earlier: readonly Float64Array[]): Float64Array {
  // With as many columns as draws nothing would be left.
  for (const other of earlier.slice(-LAW_DRAWS / 2)) {
    let product = 0;
    for (let r = 0; r < LAW_DRAWS; r++) product += (column[r] ?? 0) * (other[r] ?? 0);
    for (let r = 0; r < LAW_DRAWS; r++) column[r] = (column[r] ?? 0) - (product / LAW_DRAWS) * (other[r] ?? 0);
  }
  const square = column.reduce((sum, z) => sum + z * z, 0) / LAW_DRAWS;
  return column.map((z) => z / Math.sqrt(square));
}

/** The normal quantiles of (r + 1/2) / count. */
function normalQuantiles(count: number): Float64Array {
  const upper = Float64Array.from({ length: count / 2 }, (_, r) => normalQuantile(0.5 + (r + 0.5) / count));
  return Float64Array.from({ length: count }, (_, r) =>
    r < count / 2 ? (upper[r] ?? 0) : -(upper[r - count / 2] ?? 0),
  );
}

function shuffled(values: Float64Array, generator: SeededGenerator): Float64Array {
  const order = values.slice();
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(uniformDraw(generator) * (i + 1));
    const kept = order[i] ?? 0;
    order[i] = order[j] ?? 0;
    order[j] = kept;
  }
  return order;
}
