import type { LogitUnit } from '../from-unit.js';
import type { LogRow } from './harness.js';

/** How the log-probabilities of whole texts become scores, named as in `scoring.normalize` of a data set. */
export const COUNTINGS = ['sum', 'per-char', 'pmi'] as const;

export type Counting = (typeof COUNTINGS)[number];

/** What numbers of that kind are. Sums are log-probabilities; the others are softmaxed like logits. */
export function unitOf(counting: Counting): LogitUnit {
  return counting === 'sum' ? 'logprobs' : 'logits';
}

/**
 * `sum`: the log-probability of the text. `per-char`: divided by the characters of the option, as `acc_norm` of lm-eval
 * does. `pmi`: minus that of the text without a prompt, as `acc_mutual_info` does; a text where the log lacks them.
 */
export function countedScores({ scores, options, unconditional }: LogRow, counting: Counting): number[] | string {
  if (counting === 'sum') return [...scores];
  if (counting === 'per-char') return scores.map((score, k) => score / characters(options[k] ?? ''));
  if (unconditional === null)
    return 'has no scores without a prompt, which pmi needs; log a task of lm-eval with acc_mutual_info, or take --normalize sum';
  return scores.map((score, k) => score - (unconditional[k] ?? Number.NaN));
}

/** Characters as Python counts them, without what stands between prompt and option. */
function characters(option: string): number {
  return [...option.replace(/^\s+/, '')].length;
}
