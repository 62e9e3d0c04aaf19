import { SupportCalError } from '../errors/supportcal-error.js';
import { binEdge } from './bin-index.js';
import { BinTally } from './bin-tally.js';

/** One bin of a reliability diagram; accuracy and confidence are null in an empty bin. */
export interface ReliabilityBin {
  readonly lower: number;
  readonly upper: number;
  readonly count: number;
  /** Share of right predictions, in [0, 1]. */
  readonly accuracy: number | null;
  /** Mean confidence (not the middle of the bin), in [0, 1]. */
  readonly confidence: number | null;
}

/** Bins of N confidences in [0, 1]; correct[n] is 1 (or true) where the prediction is right. Counts add up to N. */
export function reliabilityBins(
  confidences: ArrayLike<number>,
  correct: ArrayLike<number | boolean>,
  binCount = 10,
): ReliabilityBin[] {
  const tally = new BinTally(binCount);
  for (let n = 0; n < confidences.length; n++) tally.add(confidences[n]!, Boolean(correct[n]));
  return binsOf(tally);
}

/** The bins of a tally. */
export function binsOf({ binCount, counts, hits, confidenceSums }: BinTally): ReliabilityBin[] {
  return Array.from({ length: binCount }, (_, b) => ({
    lower: binEdge(b, binCount),
    upper: binEdge(b + 1, binCount),
    count: counts[b]!,
    accuracy: counts[b] === 0 ? null : hits[b]! / counts[b]!,
    confidence: counts[b] === 0 ? null : confidenceSums[b]! / counts[b]!,
  }));
}

/** Bins of several samples put together, all with the same number of bins. */
export function poolBins(samples: ReadonlyArray<readonly ReliabilityBin[]>): ReliabilityBin[] {
  const tally = new BinTally(samples[0]?.length ?? 10);
  for (const bins of samples) {
    bins.forEach(({ count, accuracy, confidence }, b) => {
      tally.counts[b]! += count;
      tally.hits[b]! += Math.round(count * (accuracy ?? 0));
      tally.confidenceSums[b]! += count * (confidence ?? 0);
    });
  }
  return binsOf(tally);
}

/** Expected calibration error, Eq. (ece), of finished bins, in [0, 1]. No examples at all is an error. */
export function eceOfBins(bins: readonly ReliabilityBin[]): number {
  const total = countOf(bins);
  return bins.reduce((sum, bin) => sum + (bin.count / total) * gapOf(bin), 0);
}

/** Maximum calibration error: the largest |accuracy - confidence| of a bin that holds an example, in [0, 1]. */
export function mceOfBins(bins: readonly ReliabilityBin[]): number {
  countOf(bins);
  return Math.max(...bins.map(gapOf));
}

function gapOf({ accuracy, confidence }: ReliabilityBin): number {
  return accuracy === null || confidence === null ? 0 : Math.abs(accuracy - confidence);
}

function countOf(bins: readonly ReliabilityBin[]): number {
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  if (total === 0)
    throw new SupportCalError('bad-input', 'expected at least one labelled example to measure calibration on');
  return total;
}
