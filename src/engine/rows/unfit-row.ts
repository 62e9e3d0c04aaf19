import type { ScoredRow } from '../../contract/scored-row.js';
import type { EncodedPrompt, ReadyPrompt } from '../encode/encoded-prompt.js';
import { cellsOf } from '../encode/prompt-size.js';
import { failedRow } from './score-row.js';

/**
 * The failed row of a prompt that was refused or is too long; none for one that can be evaluated.
 *
 * @param usable tokens that one sequence of the context may hold
 */
export function unfitRow(prompt: EncodedPrompt, usable: number, trained: number): ScoredRow[] {
  if (prompt.kind === 'refused') return [failedRow(prompt.id, prompt.reason, 0)];
  if (cellsOf(prompt) <= Math.min(usable, trained)) return [];
  return [failedRow(prompt.id, tooLong(prompt, usable, trained), prompt.tokens.length)];
}

const WHAT_IS_LONG = {
  ok: 'the prompt has',
  text: 'the prompt and its longest option have',
  rotations: 'the longest rotation of the prompt has',
  reply: 'the prompt and the longest reply that is allowed have',
} as const;

function tooLong(prompt: ReadyPrompt, usable: number, trained: number): string {
  const what = WHAT_IS_LONG[prompt.kind];
  const whose =
    usable < trained ? `one sequence of the context holds ${usable}` : `the model was trained on ${trained}`;
  return `${what} ${cellsOf(prompt)} tokens, but ${whose}; nothing was evaluated`;
}
