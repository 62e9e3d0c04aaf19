/**
 * Two of the prompts whose common beginning is that of all: the first and the last in the order of their UTF-16 code
 * units. Null for fewer than two different texts. The pair does not depend on the order of the prompts.
 */
export function sharedBeginning<P extends { readonly text: string }>(prompts: readonly P[]): readonly [P, P] | null {
  const [any] = prompts;
  if (any === undefined) return null;
  let first = any;
  let last = any;
  for (const prompt of prompts) {
    if (prompt.text < first.text) first = prompt;
    if (prompt.text > last.text) last = prompt;
  }
  return first.text === last.text ? null : [first, last];
}

/**
 * Fewest shared tokens that are kept from prompt to prompt. Below it a pass of its own for the beginning costs about
 * what it saves (bench/shared-prefix.ts).
 */
export const LEAST_SHARED_TOKENS = 32;

/** A start token, a space that a vocabulary puts before a text, and the first bytes that two characters may share. */
const BEYOND_TEXT = 5;

/**
 * Whether the prompts' texts surely share too few tokens for any to be kept, whatever the vocabulary: they begin with
 * fewer common ASCII characters than that, and no token is empty. Prompts within a chat template share its tokens too.
 */
export function sharesTooLittle(pair: readonly [{ readonly text: string }, { readonly text: string }] | null): boolean {
  if (pair === null) return true;
  const [a, b] = pair;
  let count = 0;
  while (count < a.text.length && a.text[count] === b.text[count]) count++;
  return count + BEYOND_TEXT < LEAST_SHARED_TOKENS && /^[\0-\x7f]*$/.test(a.text.slice(0, count));
}
