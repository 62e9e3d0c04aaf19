import { BinTally } from './bin-tally.js';
import { type Binning, binEdge, DEFAULT_BINNING } from './binning.js';
import { equalMassBins } from './equal-mass-bins.js';
import { rankedConfidences } from './ranked-confidences.js';
import { type ReliabilityBin, reliabilityBin } from './reliability-bin.js';

/**
 * Bins (Fig. 1, Eq. (ece)) of N confidences in [0, 1]; correct[n] is 1 (or true) where the prediction is right. Counts
 * add up to N.
 */
export function reliabilityBins(
  confidences: ArrayLike<number>,
  correct: ArrayLike<number | boolean>,
  binning: Partial<Binning> = {},
): ReliabilityBin[] {
  const { bins, binEdges, edgeRule } = { ...DEFAULT_BINNING, ...binning };
  if (binEdges === 'equal-mass') return equalMassBins(rankedConfidences(confidences, correct), bins);
  const tally = new BinTally(bins, edgeRule);
  for (let n = 0; n < confidences.length; n++) tally.add(confidences[n]!, Number(correct[n]));
  return binsOf(tally);
}

/** The bins of a tally (Fig. 1). */
export function binsOf({ binCount, counts, hits, confidenceSums }: BinTally): ReliabilityBin[] {
  return Array.from(counts, (count, b) =>
    reliabilityBin([binEdge(b, binCount), binEdge(b + 1, binCount)], count, hits[b]!, confidenceSums[b]!),
  );
}

/**
 * Bins (Fig. 1) of several samples put together bin by bin, all with the same number of bins; edges that differ are
 * averaged.
 */
export function poolBins(samples: ReadonlyArray<readonly ReliabilityBin[]>): ReliabilityBin[] {
  return (samples[0] ?? []).map((first, b) => {
    const same = samples.flatMap((bins) => bins[b] ?? []);
    const sum = (of: (bin: ReliabilityBin) => number) => same.reduce((total, bin) => total + of(bin), 0);
    const edge = (of: (bin: ReliabilityBin) => number) =>
      same.every((bin) => of(bin) === of(first)) ? of(first) : sum(of) / same.length;
    return reliabilityBin(
      [edge((bin) => bin.lower), edge((bin) => bin.upper)],
      sum((bin) => bin.count),
      sum((bin) => bin.count * (bin.accuracy ?? 0)),
      sum((bin) => bin.count * (bin.confidence ?? 0)),
    );
  });
}
