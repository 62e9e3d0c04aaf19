import { SupportCalError } from '../errors/supportcal-error.js';
import { eachConfidence, type RankedConfidences } from './ranked-confidences.js';

/**
 * Equal-mass calibration error in [0, 1]: Eq. (ece) over B groups of N / B examples in order of confidence. As in
 * numpy.array_split the first N mod B groups hold one example more. Examples of equal confidence on a border share
 * their mean accuracy, so the order of the examples changes nothing.
 */
export function adaptiveEce(ranked: RankedConfidences, binCount = 10): number {
  const count = ranked.right.length + ranked.wrong.length;
  if (count === 0)
    throw new SupportCalError('bad-input', 'expected at least one labelled example to measure calibration on');
  const sizeOf = (group: number) => Math.floor(count / binCount) + (group < count % binCount ? 1 : 0);
  let group = 0;
  let room = sizeOf(0);
  let gap = 0;
  let sum = 0;
  eachConfidence(ranked, (confidence, rights, wrongs) => {
    const error = rights / (rights + wrongs) - confidence;
    let left = rights + wrongs;
    while (left > 0) {
      const taken = Math.min(left, room);
      gap += taken * error;
      left -= taken;
      room -= taken;
      if (room > 0) break;
      sum += Math.abs(gap);
      gap = 0;
      group += 1;
      room = sizeOf(group);
    }
  });
  return (sum + Math.abs(gap)) / count;
}
