import type { BinResiduals } from './bin-residuals.js';
import type { BootstrapOptions } from './draw-lanes.js';
import { drawLanes, LANES } from './draw-lanes.js';

/** One evaluation of one method: the labelled examples of a split, and their residuals in bins. */
export interface BootstrapSample {
  /** The cluster of every example, counted as the examples of the residuals are. */
  readonly clusters: Int32Array;
  readonly residuals: BinResiduals;
}

/** Name and version of the resampling, for reports. */
export const BOOTSTRAP_GENERATOR = 'multinomial/xoroshiro128plus/1';

/**
 * Bootstrap of the mean ECE over evaluations (Efron 1979; clustered as in Cameron, Gelbach and Miller 2008). Clusters
 * are drawn with replacement, the same draw for all methods and splits: an example that stands in the evaluation split
 * of three seeds counts equally often in all three. Temperatures and bins of the original sample stay. With counts w,
 * ECE* = sum_b |sum_{n in b} w_n (correct_n - conf_n)| / sum_n w_n. Returns, per method, one mean ECE* per resample;
 * NaN where a draw leaves no split with an example.
 */
export function bootstrapEce(
  methods: ReadonlyArray<readonly BootstrapSample[]>,
  options: BootstrapOptions,
): Float64Array[] {
  const placed = methods.map((samples) => ({
    samples: samples.map(placeOf),
    means: new Float64Array(options.resamples),
  }));
  const sums = new Float64Array(LANES);
  drawLanes(options, (counts, first, lanes) => {
    const totals = new Map<Int32Array, Float64Array>();
    for (const { samples, means } of placed) {
      const used = new Float64Array(LANES);
      const mean = new Float64Array(LANES);
      for (const sample of samples) {
        const total = totals.get(sample.clusters) ?? totalCounts(sample.clusters, counts);
        totals.set(sample.clusters, total);
        binnedErrors(sample, counts, sums);
        for (let lane = 0; lane < lanes; lane++) {
          if (total[lane] === 0) continue;
          mean[lane]! += sums[lane]! / total[lane]!;
          used[lane]!++;
        }
      }
      for (let lane = 0; lane < lanes; lane++) means[first + lane] = mean[lane]! / used[lane]!;
    }
  });
  return placed.map(({ means }) => means);
}

interface Placed {
  readonly clusters: Int32Array;
  /** Where the counts of an entry's cluster begin. */
  readonly places: Int32Array;
  readonly residuals: Float64Array;
  readonly starts: Int32Array;
}

function placeOf({ clusters, residuals: { examples, residuals, starts } }: BootstrapSample): Placed {
  return { clusters, places: examples.map((example) => clusters[example]! * LANES), residuals, starts };
}

function totalCounts(clusters: Int32Array, counts: Float64Array): Float64Array {
  const total = new Float64Array(LANES);
  for (const cluster of clusters) {
    for (let lane = 0; lane < LANES; lane++) total[lane]! += counts[cluster * LANES + lane]!;
  }
  return total;
}

/** Sum over the bins of |sum of count x residual|, for all lanes; eight sums in registers are what makes it fast. */
function binnedErrors({ places, residuals, starts }: Placed, counts: Float64Array, sums: Float64Array): void {
  sums.fill(0);
  for (let b = 0; b + 1 < starts.length; b++) {
    let a0 = 0;
    let a1 = 0;
    let a2 = 0;
    let a3 = 0;
    let a4 = 0;
    let a5 = 0;
    let a6 = 0;
    let a7 = 0;
    for (let i = starts[b]!; i < starts[b + 1]!; i++) {
      const at = places[i]!;
      const residual = residuals[i]!;
      a0 += residual * counts[at]!;
      a1 += residual * counts[at + 1]!;
      a2 += residual * counts[at + 2]!;
      a3 += residual * counts[at + 3]!;
      a4 += residual * counts[at + 4]!;
      a5 += residual * counts[at + 5]!;
      a6 += residual * counts[at + 6]!;
      a7 += residual * counts[at + 7]!;
    }
    sums[0]! += Math.abs(a0);
    sums[1]! += Math.abs(a1);
    sums[2]! += Math.abs(a2);
    sums[3]! += Math.abs(a3);
    sums[4]! += Math.abs(a4);
    sums[5]! += Math.abs(a5);
    sums[6]! += Math.abs(a6);
    sums[7]! += Math.abs(a7);
  }
}
