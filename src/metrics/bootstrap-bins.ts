import { drawCounts } from '../numeric/draw-counts.js';
import { quantile } from '../numeric/quantile.js';
import { seededGenerator } from '../numeric/seeded-generator.js';
import type { BinnedClusters } from './binned-clusters.js';
import type { BootstrapOptions } from './bootstrap-ece.js';
import { INTERVAL_LEVEL, type Interval } from './bootstrap-interval.js';

/** Resamples that are counted side by side. */
const LANES = 8;

/**
 * Percentile interval of the accuracy of every bin: clusters are drawn with replacement, the same draws for all diagrams,
 * while temperatures and bins stay. Per resample accuracy* = sum of draws x rights / sum of draws x counts; resamples
 * that leave a bin empty do not count for it. null for an empty bin and for one that is all right or all wrong: no
 * resample can vary it.
 */
export function bootstrapBins(
  diagrams: readonly BinnedClusters[],
  { clusterCount, resamples, seed }: BootstrapOptions,
): (Interval | null)[][] {
  const generator = seededGenerator(seed);
  const draws = new Float64Array(clusterCount * LANES);
  const accuracies = diagrams.map(({ starts }) => new Float64Array((starts.length - 1) * resamples));
  for (let first = 0; first < resamples; first += LANES) {
    const lanes = Math.min(LANES, resamples - first);
    draws.fill(0);
    for (let lane = 0; lane < lanes; lane++) drawCounts(generator, clusterCount, draws, LANES, lane);
    diagrams.forEach((diagram, d) => {
      for (let b = 0; b + 1 < diagram.starts.length; b++)
        binAccuracies(diagram, b, draws, lanes, accuracies[d]!, b * resamples + first);
    });
  }
  return diagrams.map((diagram, d) =>
    Array.from({ length: diagram.starts.length - 1 }, (_, b) =>
      varies(diagram, b) ? intervalOf(accuracies[d]!.subarray(b * resamples, (b + 1) * resamples)) : null,
    ),
  );
}

/** Writes the accuracy of one bin in each lane; NaN where the lane drew nothing of it. */
function binAccuracies(
  { clusters, counts, rights, starts }: BinnedClusters,
  bin: number,
  draws: Float64Array,
  lanes: number,
  into: Float64Array,
  at: number,
): void {
  const [all, right] = [new Float64Array(LANES), new Float64Array(LANES)];
  for (let i = starts[bin]!; i < starts[bin + 1]!; i++) {
    const place = clusters[i]! * LANES;
    const [count, hits] = [counts[i]!, rights[i]!];
    for (let lane = 0; lane < LANES; lane++) {
      const drawn = draws[place + lane]!;
      all[lane]! += drawn * count;
      right[lane]! += drawn * hits;
    }
  }
  for (let lane = 0; lane < lanes; lane++) into[at + lane] = right[lane]! / all[lane]!;
}

function varies({ counts, rights, starts }: BinnedClusters, bin: number): boolean {
  let [all, right] = [0, 0];
  for (let i = starts[bin]!; i < starts[bin + 1]!; i++) {
    all += counts[i]!;
    right += rights[i]!;
  }
  return right > 0 && right < all;
}

function intervalOf(accuracies: Float64Array): Interval | null {
  const known = accuracies.filter((value) => !Number.isNaN(value)).sort();
  if (known.length === 0) return null;
  const tail = (1 - INTERVAL_LEVEL) / 2;
  return { low: quantile(known, tail), high: quantile(known, 1 - tail) };
}
