import type { Moments } from '../law/skewed-law.js';
import { type BinGaps, binnedError, type ErrorPower } from './bin-gaps.js';
import { type NoiseNodes, noiseNodes } from './noise-nodes.js';

/** What a binned error would be in many data sets, if the true gaps were known. */
export interface ErrorLaw {
  /** The true error, in [0, 1]. */
  readonly level: number;
  /** Moments of the measured error; for power 2 those of its square. */
  readonly moments: Moments;
}

/** A skewness of one bin's share above this has left the range of the expansion. */
const MOST_SKEW = 1;
/** A law narrower than this is a point. */
const LEAST_DEVIATION = 1e-12;

/**
 * The law of the measured ECE (mean over S splits) given true gaps of u_b, of the signs that were measured:
 *
 *   ECE* = (1/S) sum_s sum_b (n_b / N) |u_b - sqrt(v_b / n_b) (Z_sb + k_b (Z_sb^2 - 1) / 6)| + W
 *
 * with p_b = conf_b -+ u_b the accuracy in the bin, v_b = p_b (1 - p_b), k_b the skewness of a binomial share (the
 * first Cornish-Fisher term, Cornish and Fisher 1938), Z_sb normal with the splits' overlap as correlation over s, and
 * W normal of variance Var_b(u_b) / N: counts vary as well. For power 2 it is the mean over splits of the sum of
 * squares. Bins are held fixed; they are independent of each other, so the first three cumulants of the sum are sums
 * of theirs, which are integrals over one or two normals (`noiseNodes`): no number is drawn.
 *
 * @param magnitudes u_b, 0 or above; cut where an accuracy would leave [0, 1]
 */
export function errorLaw(bins: BinGaps, magnitudes: Float64Array, power: ErrorPower): ErrorLaw {
  const { total, counts, confidences, gaps, splits } = bins;
  const nodes = noiseNodes(splits === 1 ? 1 : bins.overlap);
  const kept = new Float64Array(counts.length);
  const sum: Cumulants = [0, 0, 0];
  for (let b = 0; b < counts.length; b++) {
    const count = counts[b]!;
    const confidence = confidences[b] ?? 0;
    const sign = (gaps[b] ?? 0) < 0 ? -1 : 1;
    const accuracy = Math.min(1, Math.max(0, confidence - sign * (magnitudes[b] ?? 0)));
    kept[b] = confidence - accuracy;
    const own = binCumulants({ gap: confidence - accuracy, accuracy, count }, nodes, splits, power);
    const share = count / total;
    sum[0] += share * own[0];
    sum[1] += share ** 2 * own[1];
    sum[2] += share ** 3 * own[2];
  }
  const level = binnedError(bins, kept, 1);
  const rms = binnedError(bins, kept, 2);
  const counting = power === 1 ? Math.max(0, rms * rms - level * level) / total : 0;
  const deviation = Math.max(LEAST_DEVIATION, Math.sqrt(sum[1] + counting));
  return {
    level: power === 1 ? level : rms,
    moments: { mean: sum[0], deviation, skewness: sum[2] / deviation ** 3 },
  };
}

type Cumulants = [mean: number, variance: number, third: number];

/** Cumulants of |gap - noise|^power in one bin, the mean over splits. */
function binCumulants(
  { gap, accuracy, count }: { readonly gap: number; readonly accuracy: number; readonly count: number },
  { values, bends, common, own }: NoiseNodes,
  splits: number,
  power: ErrorPower,
): Cumulants {
  const variance = accuracy * (1 - accuracy);
  if (variance <= 0) return [Math.abs(gap) ** power, 0, 0];
  const deviation = Math.sqrt(variance / count);
  const skew = (1 - 2 * accuracy) / Math.sqrt(count * variance);
  const bend = Math.min(MOST_SKEW, Math.max(-MOST_SKEW, skew)) / 6;
  let first = 0;
  let second = 0;
  let third = 0;
  for (let i = 0, at = 0; i < common.length; i++) {
    // Raw moments of one split, given what all splits share. Taken from a list, each sum would be boxed at every step.
    let m1 = 0;
    let m2 = 0;
    let m3 = 0;
    for (let j = 0; j < own.length; j++, at++) {
      const signed = gap - deviation * (values[at]! + bend * bends[at]!);
      const drawn = power === 1 ? Math.abs(signed) : signed * signed;
      const weighted = own[j]! * drawn;
      m1 += weighted;
      m2 += weighted * drawn;
      m3 += weighted * drawn * drawn;
    }
    // Splits are independent of each other but for that: cumulants of their mean, and its raw moments.
    const square = m1 * m1;
    const spread = (m2 - square) / splits;
    const tilt = (m3 - m1 * (3 * m2 - 2 * square)) / (splits * splits);
    const weight = common[i]!;
    first += weight * m1;
    second += weight * (spread + square);
    third += weight * (tilt + m1 * (3 * spread + square));
  }
  return [first, Math.max(0, second - first * first), third - 3 * first * second + 2 * first ** 3];
}
