import { type BinGaps, binnedError } from './bin-gaps.js';
import { errorLaw } from './error-law.js';
import { shrunkGaps } from './gap-families.js';

/** ECE less its bias, and gaps that have it. */
export interface UnbiasedLevel {
  /** In [0, 1]. */
  readonly level: number;
  /** Signed u_b, one per bin that holds an example; their ECE is `level`. */
  readonly gaps: Float64Array;
}

const HALVINGS = 10;

/**
 * The level whose law has the measured ECE, Eq. (ece), as its mean (bias correction by indirect inference, Gourieroux, Monfort and Renault 1993),
 * gaps being `shrunkGaps` with the measured signs: 0 where a calibrated model would show as much.
 */
export function unbiasedLevel(bins: BinGaps, measured: number): UnbiasedLevel {
  const family = shrunkGaps(bins, 1);
  let [low, high] = [0, Math.max(measured, binnedError(bins, bins.gaps, 1))];
  for (let i = 0; i < HALVINGS && high > 0; i++) {
    const middle = (low + high) / 2;
    if (meanOf(errorLaw(bins, family(middle), 1).draws) < measured) low = middle;
    else high = middle;
  }
  // Never above 0 by a bisection that ended at its lower end.
  const level = low === 0 ? 0 : (low + high) / 2;
  return { level, gaps: family(level).map((gap, b) => ((bins.gaps[b] ?? 0) < 0 ? -gap : gap)) };
}

function meanOf(draws: Float64Array): number {
  let sum = 0;
  for (let r = 0; r < draws.length; r++) sum += draws[r] ?? 0;
  return sum / draws.length;
}
