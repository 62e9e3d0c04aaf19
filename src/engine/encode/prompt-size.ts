import type { TextRow } from '../protocol/backend.js';
import { longestPath } from './branch-paths.js';
import type { ReadyPrompt } from './encoded-prompt.js';

/** Tokens that a sequence must have room for: the prompt and, in text mode, its longest option. */
export function cellsOf(prompt: ReadyPrompt): number {
  if (prompt.kind === 'ok') return prompt.tokens.length;
  if (prompt.kind === 'rotations') return prompt.tokens.length + longestTail(prompt.tails);
  if (prompt.kind === 'reply') return prompt.tokens.length + prompt.longest;
  const { baseline } = prompt;
  return Math.max(room(prompt), baseline === null ? 0 : room(baseline));
}

/** Tokens of the first pass: the longest path, or the first tail, stands right after what all branches begin with. */
export function firstPassTokens(prompt: ReadyPrompt): number {
  const { length } = prompt.tokens;
  if (prompt.kind === 'ok' || prompt.kind === 'reply') return length;
  return length + (prompt.kind === 'text' ? longestPath(prompt.continuations) : prompt.tails[0].tokens.length);
}

/**
 * Tokens of the longest further pass of a prompt whose tails are as long as its prompt allows; 0 where they are short.
 */
export function laterPassTokens(prompt: ReadyPrompt): number {
  return prompt.kind === 'rotations' && prompt.tails.length > 1 ? longestTail(prompt.tails) : 0;
}

/** Tokens that are evaluated for a prompt, options included: a measure of work. */
export function allTokens(prompt: ReadyPrompt): number {
  const { length } = prompt.tokens;
  if (prompt.kind === 'ok') return length;
  if (prompt.kind === 'reply') return length + prompt.longest;
  const branches = prompt.kind === 'text' ? prompt.continuations : prompt.tails.map(({ tokens }) => tokens);
  return branches.reduce((sum, tokens) => sum + tokens.length, length);
}

export function longestTail(tails: ReadonlyArray<{ readonly tokens: ArrayLike<number> }>): number {
  return Math.max(...tails.map(({ tokens }) => tokens.length));
}

function room({ tokens, continuations }: { readonly tokens: ArrayLike<number> } & Pick<TextRow, 'continuations'>) {
  return tokens.length + Math.max(...continuations.map((option) => option.length));
}
