import { clopperPearson } from '../law/beta-law.js';
import type { BinGaps } from './bin-gaps.js';
import type { ErrorInterval } from './ece-interval.js';

/** Miss of each end. */
const MISS = 0.025;

/**
 * Interval for the largest |E[conf - right | b]| over the bins that hold an example, the true MCE (Naeini et al. 2015),
 * from the intervals of the accuracies (Clopper and Pearson 1934): the largest of the least gaps that each bin allows,
 * its level shared by all bins (Bonferroni), and the largest of the largest ones, where one bin alone, the true
 * largest, can miss. Its level is at least 0.95. It is wide: a bin of few examples allows nearly everything.
 *
 * @param widening how much wider the law of ECE is than at fixed temperatures (`wideningOf`)
 */
export function largestGapInterval({ counts, confidences, gaps }: BinGaps, widening = 1): ErrorInterval {
  let [low, high] = [0, 0];
  for (const [b, count] of counts.entries()) {
    const [confidence, gap] = [confidences[b] ?? 0, gaps[b] ?? 0];
    const hits = Math.min(count, Math.max(0, count * (confidence - gap)));
    const alone = clopperPearson(hits, count, MISS);
    const shared = clopperPearson(hits, count, MISS / counts.length);
    const farthest = Math.max(confidence - alone.low, alone.high - confidence);
    const nearest = Math.max(0, confidence - shared.high, shared.low - confidence);
    const size = Math.abs(gap);
    high = Math.max(high, Math.min(Math.max(confidence, 1 - confidence), size + widening * (farthest - size)));
    low = Math.max(low, size - widening * (size - nearest));
  }
  return { low, high };
}
