import type { LogitUnit } from '../from-unit.js';
import type { Counting, LogRow } from './harness.js';

/** What numbers of that kind are. Sums are log-probabilities; the others are softmaxed like logits. */
export function unitOf(counting: Counting): LogitUnit {
  return counting === 'sum' ? 'logprobs' : 'logits';
}

/**
 * `sum`: the log-probability of the text. `mean-token`: divided by its tokens. `per-char`: divided by the characters of
 * the option, as `acc_norm` of lm-eval does. `pmi`: minus that of the text without a prompt, as `acc_mutual_info` does;
 * a text where the log lacks them.
 */
export function countedScores(row: LogRow, counting: Counting): number[] | string {
  const { scores, options, unconditional, means } = row;
  if (counting === 'sum') return [...scores];
  if (counting === 'mean-token')
    return means === null
      ? 'does not say how many tokens an option has, which mean-token needs'
      : means.map((mean, k) => (mean === -Infinity && scores[k] !== -Infinity ? Number.NaN : mean));
  if (counting === 'per-char') return scores.map((score, k) => shareOf(score, characters(options[k] ?? '')));
  if (unconditional === null)
    return 'has no scores without a prompt, which pmi needs; log a task whose metric asks for them (acc_mutual_info of lm-eval), or take --normalize sum';
  return scores.map((score, k) => score - (unconditional[k] ?? Number.NaN));
}

/** Rounding of float32 sums may carry a log-probability a little over 0. */
const TOLERANCE = 1e-6;
/** Candidates may have been rounded to a few digits before they were written. */
const SUM_TOLERANCE = 0.01;

/**
 * What is wrong with the numbers of a row as log-probabilities, whatever is made of them afterwards: divided by tokens
 * or characters a positive one looks like any other score. null: nothing.
 */
export function notLogprobs({ scores, unconditional, means }: LogRow, texts: boolean): string | null {
  for (const [what, numbers] of [
    ['log-probability', scores],
    ['log-probability without a prompt', unconditional ?? []],
    ['log-probability a token', means ?? []],
  ] as const) {
    const bad = numbers.findIndex((score) => score > TOLERANCE);
    if (bad >= 0) return `the ${what} of option ${bad + 1} is ${numbers[bad]}; expected 0 or less`;
  }
  const total = scores.reduce((sum, score) => sum + (Number.isNaN(score) ? 0 : Math.exp(score)), 0);
  // One text may be the beginning of another, one label is not.
  if (texts || total <= 1 + SUM_TOLERANCE) return null;
  return `the probabilities of the options sum to ${total}; expected 1 or less`;
}

/** A text of no token, or no character, has no mean: it is not the least probable one. */
function shareOf(score: number, count: number): number {
  return count > 0 ? score / count : Number.NaN;
}

/** Characters as Python counts them, without what stands between prompt and option. */
function characters(option: string): number {
  return [...option.replace(/^\s+/, '')].length;
}
