import type { BinResiduals } from './bin-residuals.js';

/** One evaluation of a diagram: the cluster of every example, its bin, and 1 where it is right. */
export interface BinnedSample {
  readonly clusters: Int32Array;
  readonly residuals: BinResiduals;
  readonly correct: ArrayLike<number>;
}

/** The examples of one reliability diagram by cluster: entries starts[b] .. starts[b + 1] - 1 are those of bin b. */
export interface BinnedClusters {
  readonly clusters: Int32Array;
  /** Examples of the cluster in the bin over all evaluations, and how many of them are right. */
  readonly counts: Float64Array;
  readonly rights: Float64Array;
  readonly starts: Int32Array;
}

/**
 * Puts the evaluations of several seeds together, for Fig. 1 with resampled bins: an example that falls into one bin in
 * three of them is one entry.
 */
export function binnedClusters(samples: readonly BinnedSample[], clusterCount: number): BinnedClusters {
  const most = samples.reduce((sum, { residuals }) => sum + residuals.examples.length, 0);
  const bins = (samples[0]?.residuals.starts.length ?? 1) - 1;
  const [clusters, counts, rights] = [new Int32Array(most), new Float64Array(most), new Float64Array(most)];
  const starts = new Int32Array(bins + 1);
  const entryOf = new Int32Array(clusterCount).fill(-1);
  let end = 0;
  for (let b = 0; b < bins; b++) {
    for (const { clusters: ofExample, residuals, correct } of samples) {
      for (let i = residuals.starts[b]!; i < residuals.starts[b + 1]!; i++) {
        const example = residuals.examples[i]!;
        const cluster = ofExample[example]!;
        // An entry of an earlier bin is not one of this bin.
        const known = entryOf[cluster]!;
        const entry = known >= starts[b]! ? known : end++;
        entryOf[cluster] = entry;
        clusters[entry] = cluster;
        const share = residuals.shares?.[i] ?? 1;
        counts[entry]! += share;
        rights[entry]! += share * correct[example]!;
      }
    }
    starts[b + 1] = end;
  }
  return { clusters: clusters.slice(0, end), counts: counts.slice(0, end), rights: rights.slice(0, end), starts };
}
