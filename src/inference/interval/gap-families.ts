import { type BinGaps, binnedError, type ErrorPower } from './bin-gaps.js';

/** Gaps u_b >= 0 whose binned error is a given level above 0. */
export type GapFamily = (level: number) => Float64Array;

const GRID = 40;
const HALVINGS = 20;
const NEAR = 0.85;

/**
 * The measured gaps, shrunk and scaled: u_b in proportion to sqrt((w_b d_b)^2 + w_b s_b^2), the root of the posterior
 * mean square of a gap with prior N(0, t^2), s_b^2 = v_b / n_b its noise and w_b = t^2 / (t^2 + s_b^2); t is of largest
 * likelihood (empirical Bayes, Morris 1983). Where nothing but noise is seen all gaps are alike, where signal is, they
 * are the measured ones.
 */
export function shrunkGaps(bins: BinGaps, power: ErrorPower): GapFamily {
  const noise = gapVariances(bins);
  const prior = priorVariance(bins.gaps, noise);
  const direction = bins.gaps.map((gap, b) => {
    const weight = prior / (prior + (noise[b] ?? 0));
    return Math.sqrt((weight * gap) ** 2 + weight * (noise[b] ?? 0));
  });
  const size = binnedError(bins, direction, power);
  return (level) => direction.map((gap) => (gap * level) / size);
}

/**
 * The gaps nearest to the measured ones, in units of their noise, at a given error (restricted maximum likelihood, as
 * in hybrid resampling, Chuang and Lai 2000). Power 1: |d_b| less a multiple of v_b, cut at 0, which leaves few large
 * gaps, the ones that raise the measured error most. Power 2: in proportion to d_b. Above the measured error: in
 * proportion to d_b.
 */
function nearestGaps(bins: BinGaps, power: ErrorPower): GapFamily {
  const size = binnedError(bins, bins.gaps, power);
  const scaled: GapFamily = (level) => bins.gaps.map((gap) => (Math.abs(gap) * level) / size);
  if (power === 2) return scaled;
  const spread = gapVariances(bins).map((variance, b) => variance * (bins.counts[b] ?? 0));
  return (level) => {
    if (level >= size) return scaled(level);
    const left = new Float64Array(bins.gaps.length);
    const cut = (by: number) => {
      for (let b = 0; b < left.length; b++) left[b] = Math.max(0, Math.abs(bins.gaps[b]!) - by * spread[b]!);
      return left;
    };
    let [low, high] = [0, 1];
    while (binnedError(bins, cut(high), 1) > level) high *= 2;
    for (let i = 0; i < HALVINGS; i++) {
      const middle = (low + high) / 2;
      if (binnedError(bins, cut(middle), 1) > level) low = middle;
      else high = middle;
    }
    return cut((low + high) / 2);
  };
}

/**
 * The likely true gaps, signed: a line a + b conf_b through the measured ones, and of what is left the share w_b = t^2
 * / (t^2 + s_b^2) (empirical Bayes with a regression as prior mean, Fay and Herriot 1979). A temperature that is wrong
 * bends all bins alike: the line sees that from all examples where no bin alone does.
 */
export function smoothedGaps(bins: BinGaps): Float64Array {
  const noise = gapVariances(bins);
  let [prior, left] = [0, bins.gaps];
  let line = bins.gaps;
  for (let i = 0; i < 3; i++) {
    line = weightedLine(
      bins,
      noise.map((variance) => 1 / (variance + prior)),
    );
    left = bins.gaps.map((gap, b) => gap - (line[b] ?? 0));
    prior = priorVariance(left, noise);
  }
  return line.map((mean, b) => mean + (prior / (prior + (noise[b] ?? 0))) * (left[b] ?? 0));
}

/** Values at conf_b of the line of least weighted squares through the gaps (flat where all confidences are one). */
function weightedLine({ confidences, gaps }: BinGaps, weights: Float64Array): Float64Array {
  let [total, x, y, xx, xy] = [0, 0, 0, 0, 0];
  for (const [b, weight] of weights.entries()) {
    const [confidence, gap] = [confidences[b] ?? 0, gaps[b] ?? 0];
    total += weight;
    x += weight * confidence;
    y += weight * gap;
    xx += weight * confidence * confidence;
    xy += weight * confidence * gap;
  }
  const spread = xx - (x * x) / total;
  const slope = spread > 1e-12 * xx ? (xy - (x * y) / total) / spread : 0;
  return confidences.map((confidence) => y / total + slope * (confidence - x / total));
}

/**
 * 0.85 of `nearestGaps` and the rest of `shrunkGaps`, for the lower end (hybrid resampling, Chuang and Lai 2000):
 * shrunk gaps alone make intervals begin too high where few gaps are large (coverage 0.73 to 0.86 when one bin is
 * wrong), the nearest alone too low where all are small (up to 0.977).
 */
export function mixedGaps(bins: BinGaps, power: ErrorPower): GapFamily {
  const [near, shrunk] = [nearestGaps(bins, power), shrunkGaps(bins, power)];
  return (level) => {
    const other = shrunk(level);
    return near(level).map((gap, b) => NEAR * gap + (1 - NEAR) * (other[b] ?? 0));
  };
}

/**
 * Variance of the measured d_b, the mean over splits: v_b / n_b (1 + (S - 1) overlap) / S, with Agresti and Coull's
 * (1998) accuracy: conf_b counts as two examples.
 */
export function gapVariances({ counts, confidences, gaps, splits, overlap }: BinGaps): Float64Array {
  return counts.map((count, b) => {
    const confidence = confidences[b] ?? 0;
    const accuracy = (count * (confidence - (gaps[b] ?? 0)) + 2 * confidence) / (count + 2);
    return ((Math.max(accuracy * (1 - accuracy), 1e-4) / count) * (1 + (splits - 1) * overlap)) / splits;
  });
}

/** t^2 of largest likelihood on a grid of t from 0.002, about, to 3. */
function priorVariance(gaps: Float64Array, noise: Float64Array): number {
  let [best, most] = [1e-8, Number.NEGATIVE_INFINITY];
  for (let i = 0; i <= GRID; i++) {
    const prior = i === 0 ? 1e-8 : (0.002 * 1.2 ** i) ** 2;
    let likelihood = 0;
    for (let b = 0; b < gaps.length; b++) {
      const gap = gaps[b]!;
      const variance = prior + noise[b]!;
      likelihood -= Math.log(variance) + (gap * gap) / variance;
    }
    if (likelihood > most) [best, most] = [prior, likelihood];
  }
  return best;
}
