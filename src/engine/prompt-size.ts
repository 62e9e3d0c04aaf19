import type { TextRow } from './backend.js';
import { longestPath } from './branch-paths.js';
import type { ReadyPrompt } from './encode-jobs.js';

/** Tokens that a sequence must have room for: the prompt and, in text mode, its longest option. */
export function cellsOf(prompt: ReadyPrompt): number {
  if (prompt.kind === 'ok') return prompt.tokens.length;
  const { baseline } = prompt;
  return Math.max(room(prompt), baseline === null ? 0 : room(baseline));
}

/** Tokens of the first pass: in text mode the longest path stands right after the prompt. */
export function firstPassTokens(prompt: ReadyPrompt): number {
  return prompt.tokens.length + (prompt.kind === 'ok' ? 0 : longestPath(prompt.continuations));
}

/** Tokens of a prompt and of all its options: a measure of work. */
export function allTokens(prompt: ReadyPrompt): number {
  const options = prompt.kind === 'ok' ? [] : prompt.continuations;
  return options.reduce((sum, tokens) => sum + tokens.length, prompt.tokens.length);
}

function room({ tokens, continuations }: { readonly tokens: ArrayLike<number> } & Pick<TextRow, 'continuations'>) {
  return tokens.length + Math.max(...continuations.map((option) => option.length));
}
