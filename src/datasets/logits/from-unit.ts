import type { ScoredRow } from '../../contract/scored-row.js';

export type LogitUnit = 'logits' | 'logprobs' | 'probabilities';

/** Rounding of float32 sums may carry a log-probability a little over 0, or a probability over 1. */
const TOLERANCE = 1e-6;
/** Numbers may have been rounded to half precision (8 bits) or to a few digits before they were written. */
const SUM_TOLERANCE = 0.01;

/**
 * K scores of a declared unit as a scored row in the natural-log domain, or a fault when they cannot be of that unit:
 * log-probabilities are at most 0, probabilities in [0, 1], and both sum to at most 1 within rounding. A probability of
 * 0 is -Infinity in the log domain, which is a score like any other; a row fails where a score is NaN or +Infinity, or
 * where every option is impossible.
 *
 * @param overlapping options of which one is equal to another or its beginning: scored as texts, they may sum to more
 */
export function fromUnit(
  id: string,
  scores: readonly number[],
  unit: LogitUnit,
  overlapping = false,
): ScoredRow | { readonly fault: string } {
  const fault = unitFault(scores, unit, overlapping);
  if (fault !== null) return { fault };
  const logits = unit === 'probabilities' ? scores.map((score) => Math.log(Math.max(score, 0))) : [...scores];
  const bad = logits.findIndex((logit) => Number.isNaN(logit) || logit === Number.POSITIVE_INFINITY);
  const failed = (reason: string) => ({ status: 'failed', id, reason, promptTokens: 0 }) as const;
  if (bad >= 0) return failed(`the imported score of option ${bad + 1} is not a finite number`);
  if (!logits.some(Number.isFinite)) return failed('every option has the imported probability 0');
  const known = unit !== 'logits';
  const optionMass = known ? Math.min(totalMass(scores, unit), 1) : Number.NaN;
  return { status: 'ok', id, logits, logZ: known ? 0 : Number.NaN, optionMass, promptTokens: 0 };
}

function unitFault(scores: readonly number[], unit: LogitUnit, overlapping: boolean): string | null {
  if (unit === 'logits') return null;
  const [low, high] = unit === 'logprobs' ? [-Infinity, 0] : [0, 1];
  const bad = scores.findIndex((score) => score > high + TOLERANCE || score < low - TOLERANCE);
  const range = unit === 'logprobs' ? 'at most 0' : 'between 0 and 1';
  const declare = 'declare the unit that the file has with `--unit`';
  if (bad >= 0) return `score ${bad + 1} is ${scores[bad]}, but ${unit} are ${range}; ${declare}`;
  const total = totalMass(scores, unit);
  if (overlapping || total <= 1 + SUM_TOLERANCE) return null;
  return `the probabilities of the options sum to ${total}, more than 1; ${declare}`;
}

function totalMass(scores: readonly number[], unit: LogitUnit): number {
  let total = 0;
  for (const score of scores) {
    if (!Number.isNaN(score)) total += unit === 'logprobs' ? Math.exp(score) : score;
  }
  return total;
}
