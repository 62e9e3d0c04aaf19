import type { Reading } from './backend.js';

/** The sum over the vocabulary is a float32: so far may rounding move it, relative to its size. */
const ROUNDING = 1e-3;

/**
 * Why a reading cannot be trusted, or null. The sum of exp(logit - maximum) holds the maximum itself, so it is at least
 * 1, and no option is above the maximum: otherwise the sum was taken over a part of the vocabulary only, and every
 * probability made of it would be too great.
 */
export function readingFault({ logits, maxLogit, totalWeight }: Reading): string | null {
  const bad = logits.findIndex((logit) => !Number.isFinite(logit));
  if (bad >= 0) return `the logit of option ${bad + 1} is ${logits[bad] ?? 'missing'}; expected a finite number`;
  if (!Number.isFinite(maxLogit) || !Number.isFinite(totalWeight)) return 'the sum over the vocabulary is not finite';
  if (totalWeight < 1 - ROUNDING) {
    return `the sum over the vocabulary is ${totalWeight}, relative to its largest term; expected 1 or more, so it was cut`;
  }
  const above = logits.findIndex((logit) => logit !== undefined && logit > maxLogit);
  return above < 0
    ? null
    : `the logit of option ${above + 1} is ${logits[above]}, above the maximum of the vocabulary (${maxLogit})`;
}

/**
 * Why the probabilities of different options cannot be true, or null: together they are no more than 1.
 *
 * @param mass sum of the probabilities
 */
export function massFault(mass: number): string | null {
  return mass <= 1 + ROUNDING
    ? null
    : `the options have a probability of ${mass} together; expected 1 at most, so the sum over the vocabulary was cut`;
}
