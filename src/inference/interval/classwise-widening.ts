import { erf } from '../../numeric/folded-normal.js';
import type { BinGaps } from './bin-gaps.js';
import { gapVariances, smoothedGaps } from './gap-families.js';

/** From here on a class is the only one of its example. */
const TOP = 0.5;

/**
 * The widening for classwise ECE (the mean over K classes of Eq. (ece)), whose bins are those of all classes in one
 * list, against bins of independent examples; exact for K = 2, where the second class repeats the first.
 *
 * Where gaps are lost in noise, residuals of two classes of an example correlate by about -1 / (K - 1), so their
 * absolute sums by its square (Isserlis 1918): the variance is 1 + 1 / (K - 1) times as large. Where gaps
 * are plain, absolute sums are sums with signs t: an example adds Var(t_Y), Y its label, in place of sum_k p_k (1 -
 * p_k) t_k^2, which is up to twice as much where a sure class has one sign and all others the other one, as in
 * over-confident models. t is the mean sign erf(m / sqrt 2), m the likely gap by its noise, and the share of the
 * variance that is t^2's of 1 + m^2 - E|m + Z|^2 (a folded normal's, Leone, Nelson and Nottingham 1961) weighs the one
 * against the other.
 */
export function classwiseWidening(bins: BinGaps, options: number): number {
  if (options === 2) return Math.SQRT2;
  const { counts, confidences, gaps, total, splits, overlap } = bins;
  const noise = gapVariances(bins);
  const signs = new Float64Array(counts.length);
  let [variance, ofSigns] = [0, 0];
  for (const [b, likely] of smoothedGaps(bins).entries()) {
    const ratio = likely / Math.sqrt(noise[b]!);
    const sign = Math.sign(ratio) * erf(Math.abs(ratio) / Math.SQRT2);
    const mean = Math.sqrt(2 / Math.PI) * Math.exp((-ratio * ratio) / 2) + ratio * sign;
    const weight = counts[b]! ** 2 * noise[b]!;
    variance += weight * (1 + ratio * ratio - mean * mean);
    ofSigns += weight * sign * sign;
    signs[b] = sign;
  }
  // Labels of classes that are not the only one of their example, by the confidence that its top class leaves them.
  const masses = confidences.map((confidence, b) => counts[b]! * Math.max(0, confidence - gaps[b]!));
  const meanBelow = (most: number, of: (sign: number) => number) => {
    let [sum, mass] = [0, 0];
    for (const [b, confidence] of confidences.entries()) {
      if (confidence >= TOP || confidence > most) continue;
      mass += masses[b]!;
      sum += masses[b]! * of(signs[b]!);
    }
    return mass === 0 ? 0 : sum / mass;
  };
  let [together, withTop] = [0, 0];
  for (const [b, confidence] of confidences.entries()) {
    if (confidence < TOP) continue;
    // With the mean over all such classes coverage was 0.923 to 0.939 at 13 pp, with that of those below what the top
    // class leaves 0.962 to 0.975; half of each holds.
    const others = (meanBelow(1, (sign) => sign) + meanBelow(1 - confidence, (sign) => sign)) / 2;
    together += counts[b]! ** 2 * noise[b]! * (signs[b]! - others) ** 2;
    withTop += counts[b]!;
  }
  const without = Math.max(0, total / options - withTop) * ((1 + (splits - 1) * overlap) / splits);
  together += without * (meanBelow(1, (sign) => sign * sign) - meanBelow(1, (sign) => sign) ** 2);
  // Signs of small gaps are known badly, so that a lower ratio is not believed (coverage 0.90 to 0.93 at 2 and 5 pp).
  const least = 1 + 1 / (options - 1);
  const plain = ofSigns === 0 ? least : Math.min(2, Math.max(least, together / ofSigns));
  const share = variance === 0 ? 0 : Math.min(1, ofSigns / variance);
  return Math.sqrt(share * plain + (1 - share) * least);
}
