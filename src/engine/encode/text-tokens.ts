import type { Tokenize } from '../protocol/backend.js';
import { tokenizeEndings } from './tokenize-endings.js';

export type TextTokens =
  | {
      readonly kind: 'ok';
      readonly tokens: readonly number[];
      /** Per option, the tokens that are scored after `tokens`; at least one each. */
      readonly continuations: readonly (readonly number[])[];
    }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Tokens of K option texts, found in place: `tail + text` is tokenised for every text. What is evaluated as the prompt
 * is what all K have in common with the prompt alone, so that every token of a text is scored, those that all options
 * begin with too. A tail that merges with a text ("Ans" + "wer" = "Answer") is thereby scored with it.
 *
 * @param head tokens before the last plain text of the prompt
 * @param tail that last plain text, answer prefix included; may be empty
 */
export function textTokens(
  head: readonly number[],
  tail: string,
  texts: readonly string[],
  tokenize: Tokenize,
): TextTokens {
  const empty = texts.findIndex((text) => text.trim() === '');
  if (empty >= 0) return { kind: 'refused', reason: `option ${empty + 1} has an empty text` };
  const [prompt = [], ...spans] = tokenizeEndings(tail, ['', ...texts], tokenize);
  let shared = Math.min(prompt.length, ...spans.map((span) => span.length - 1));
  for (const span of spans) shared = Math.min(shared, agreeing(prompt, span));
  if (shared < 0) return { kind: 'refused', reason: 'an option has no token' };
  const tokens = [...head, ...prompt.slice(0, shared)];
  if (tokens.length === 0) return { kind: 'refused', reason: 'the prompt has no token to score after' };
  return { kind: 'ok', tokens, continuations: spans.map((span) => span.slice(shared)) };
}

function agreeing(a: readonly number[], b: readonly number[]): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}
