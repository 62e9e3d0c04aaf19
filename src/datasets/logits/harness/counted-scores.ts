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
    return means === null ? 'does not say how many tokens an option has, which mean-token needs' : [...means];
  if (counting === 'per-char') return scores.map((score, k) => score / characters(options[k] ?? ''));
  if (unconditional === null)
    return 'has no scores without a prompt, which pmi needs; log a task whose metric asks for them (acc_mutual_info of lm-eval), or take --normalize sum';
  return scores.map((score, k) => score - (unconditional[k] ?? Number.NaN));
}

/** Characters as Python counts them, without what stands between prompt and option. */
function characters(option: string): number {
  return [...option.replace(/^\s+/, '')].length;
}
