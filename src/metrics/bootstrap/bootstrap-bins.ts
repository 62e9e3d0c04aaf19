import { quantile } from '../../numeric/quantile.js';
import type { BinnedClusters } from './binned-clusters.js';
import { INTERVAL_LEVEL, type Interval } from './bootstrap-interval.js';
import type { BootstrapOptions } from './draw-lanes.js';
import { drawLanes, LANES } from './draw-lanes.js';

/** As many resamples as have their sums in registers at once, half of the lanes. */
const HALF = LANES / 2;

/**
 * Percentile interval (Efron 1981) of the accuracy of every bin: clusters are drawn with replacement, the same draws
 * for all diagrams, while temperatures and bins stay. Per resample accuracy* = sum of draws x rights / sum of draws x
 * counts; resamples that leave a bin empty do not count for it. null for an empty bin and for one that is all right or
 * all wrong: no resample can vary it.
 */
export function bootstrapBins(diagrams: readonly BinnedClusters[], options: BootstrapOptions): (Interval | null)[][] {
  const { resamples } = options;
  const placed = diagrams.map((each) => ({
    ...each,
    places: each.clusters.map((cluster) => cluster * LANES),
    accuracies: new Float64Array((each.starts.length - 1) * resamples),
  }));
  drawLanes(options, (draws, first, lanes) => {
    const drawn = { draws, lanes };
    for (const diagram of placed) {
      for (let b = 0; b + 1 < diagram.starts.length; b++) binAccuracies(diagram, b, drawn, b * resamples + first);
    }
  });
  return placed.map((diagram) =>
    Array.from({ length: diagram.starts.length - 1 }, (_, b) =>
      varies(diagram, b) ? intervalOf(diagram.accuracies.subarray(b * resamples, (b + 1) * resamples)) : null,
    ),
  );
}

/** Clusters with where the draws of each begin, and per bin the accuracy of every resample. */
type Placed = BinnedClusters & { readonly places: Int32Array; readonly accuracies: Float64Array };

/** The draws of one block of resamples. */
interface DrawnBlock {
  readonly draws: Float64Array;
  readonly lanes: number;
}

/**
 * Writes the accuracy of one bin in each lane, NaN where the lane drew nothing of it, to the accuracies from `at` on.
 * Sums in registers make it fast (lists of them, taken apart, are made on the heap until the code is compiled).
 */
function binAccuracies(diagram: Placed, bin: number, { draws, lanes }: DrawnBlock, at: number): void {
  const { places, counts, rights, starts, accuracies: into } = diagram;
  for (let half = 0; half < lanes; half += HALF) {
    let a0 = 0;
    let a1 = 0;
    let a2 = 0;
    let a3 = 0;
    let r0 = 0;
    let r1 = 0;
    let r2 = 0;
    let r3 = 0;
    for (let i = starts[bin]!; i < starts[bin + 1]!; i++) {
      const place = places[i]! + half;
      const count = counts[i]!;
      const hits = rights[i]!;
      const d0 = draws[place]!;
      const d1 = draws[place + 1]!;
      const d2 = draws[place + 2]!;
      const d3 = draws[place + 3]!;
      a0 += d0 * count;
      a1 += d1 * count;
      a2 += d2 * count;
      a3 += d3 * count;
      r0 += d0 * hits;
      r1 += d1 * hits;
      r2 += d2 * hits;
      r3 += d3 * hits;
    }
    const to = at + half;
    const last = lanes - half;
    into[to] = r0 / a0;
    if (last > 1) into[to + 1] = r1 / a1;
    if (last > 2) into[to + 2] = r2 / a2;
    if (last > 3) into[to + 3] = r3 / a3;
  }
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
