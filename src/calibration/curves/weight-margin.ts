import { mean } from '../../numeric/mean.js';
import { median } from '../../numeric/quantile.js';
import { withoutRounding } from '../fit/boundary-margin.js';
import type { CalibrationSplit } from '../open-split.js';

/** Weights and boundary margins of the disagreement examples of one split. */
export interface WeightedMargins {
  readonly weights: Float64Array;
  readonly margins: Float64Array;
}

/** One bin of `weightsByPercentile`; means are null in an empty bin. */
export interface PercentileBin {
  /** Percentiles of m_n in [0, 100]. */
  readonly lower: number;
  readonly upper: number;
  readonly count: number;
  readonly meanWeight: number | null;
  readonly meanMargin: number | null;
}

export interface SignSummary {
  readonly sign: 'negative' | 'zero' | 'positive';
  readonly count: number;
  readonly meanWeight: number | null;
  readonly medianWeight: number | null;
}

/**
 * w_n and m_n (Eq. (weights), Eq. (margin)) of the examples of D; a margin inside its rounding error is exactly 0, as
 * M_w is, so that noise has neither a sign nor a rank.
 */
export function disagreementMargins(split: CalibrationSplit, weights: Float64Array): WeightedMargins {
  const { disagreement, margins } = split;
  const sizes = split.marginSizes();
  return {
    weights: Float64Array.from(disagreement, (at) => weights[at] ?? Number.NaN),
    margins: Float64Array.from(disagreement, (at) => withoutRounding(margins[at] ?? 0, sizes[at] ?? 0)),
  };
}

/**
 * Mean weight by percentile bin of m_n (App. E, the figure). An example's percentile is its midrank among the examples
 * of its own sample, since margins have the scale of a target's logits; the samples' bins are then put together.
 */
export function weightsByPercentile(samples: readonly WeightedMargins[], binCount = 10): PercentileBin[] {
  const bins = Array.from({ length: binCount }, () => ({ weights: [] as number[], margins: [] as number[] }));
  for (const { weights, margins } of samples) {
    const ranks = percentileRanks(margins);
    for (const [n, margin] of margins.entries()) {
      const bin = bins[Math.min(Math.floor(ranks[n]! * binCount), binCount - 1)];
      bin?.weights.push(weights[n]!);
      bin?.margins.push(margin);
    }
  }
  return bins.map(({ weights, margins }, b) => ({
    lower: (100 * b) / binCount,
    upper: (100 * (b + 1)) / binCount,
    count: weights.length,
    meanWeight: mean(weights),
    meanMargin: mean(margins),
  }));
}

/** Mean and median weight of the examples of D by the sign of m_n (App. E, the table). */
export function weightsBySign(samples: readonly WeightedMargins[]): SignSummary[] {
  const signs = ['negative', 'zero', 'positive'] as const;
  return signs.map((sign, s) => {
    const weights = Float64Array.from(
      samples.flatMap((sample) => [...sample.weights.filter((_, n) => Math.sign(sample.margins[n]!) === s - 1)]),
    );
    return { sign, count: weights.length, meanWeight: mean(weights), medianWeight: median(weights) };
  });
}

/** (midrank - 1/2) / count, in (0, 1): equal values share a rank. */
function percentileRanks(values: Float64Array): Float64Array {
  const ordered = Array.from(values, (value, n) => ({ value, n })).sort((a, b) => a.value - b.value);
  const ranks = new Float64Array(values.length);
  for (let first = 0; first < ordered.length; ) {
    let end = first + 1;
    while (end < ordered.length && ordered[end]?.value === ordered[first]?.value) end++;
    for (const { n } of ordered.slice(first, end)) ranks[n] = (first + end) / 2 / ordered.length;
    first = end;
  }
  return ranks;
}
