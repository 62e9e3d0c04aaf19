import { SupportCalError } from '../../errors/supportcal-error.js';
import { confidenceGroups, type RankedConfidences } from './ranked-confidences.js';
import { type ReliabilityBin, reliabilityBin } from './reliability-bin.js';

/**
 * B bins of N / B examples in order of confidence (Nguyen and O'Connor 2015; Nixon et al. 2019). As in
 * numpy.array_split the first N mod B bins hold one example more; with fewer examples than bins the last ones are
 * empty. Examples of equal confidence on a border share their mean accuracy, so the order of the examples changes
 * nothing. A bin reaches from its lowest confidence to that of the next bin; the first begins at 0, the last ends at 1.
 */
export function equalMassBins(ranked: RankedConfidences, binCount: number): ReliabilityBin[] {
  if (!Number.isInteger(binCount) || binCount < 1) {
    throw new SupportCalError('bad-input', {
      field: 'bins',
      message: `expected a whole number above 0, not ${binCount}`,
    });
  }
  const count = ranked.right.length + ranked.wrong.length;
  const sums = Array.from({ length: binCount }, (_, b) => ({
    size: equalMassSize(b, count, binCount),
    lowest: 1,
    hits: 0,
    confidence: 0,
  }));
  let bin = 0;
  let room = equalMassSize(0, count, binCount);
  const groups = confidenceGroups(ranked);
  for (let g = 0; g < groups.count; g++) {
    const confidence = groups.confidences[g]!;
    const rights = groups.rights[g]!;
    let left = rights + groups.wrongs[g]!;
    const accuracy = rights / left;
    while (left > 0) {
      const sum = sums[bin]!;
      if (room === sum.size) sum.lowest = confidence;
      const taken = Math.min(left, room);
      sum.hits += taken * accuracy;
      sum.confidence += taken * confidence;
      left -= taken;
      room -= taken;
      if (room === 0 && bin + 1 < binCount) room = equalMassSize(++bin, count, binCount);
    }
  }
  const edge = (b: number) => (b === 0 ? 0 : (sums[b]?.lowest ?? 1));
  return sums.map(({ size, hits, confidence }, b) => reliabilityBin([edge(b), edge(b + 1)], size, hits, confidence));
}

/** Examples in equal-mass bin b of B over N examples (Nguyen and O'Connor 2015). */
export function equalMassSize(b: number, count: number, binCount: number): number {
  return Math.floor(count / binCount) + (b < count % binCount ? 1 : 0);
}
