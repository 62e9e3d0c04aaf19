import { LEAST_SHARED_TOKENS } from '../../contract/shared-beginning.js';
import type { EncodedPrompt } from './encoded-prompt.js';

/**
 * A tokenizer may join the last shared characters with what follows them: the last shared tokens are not counted on.
 */
const UNSURE_TOKENS = 2;

/**
 * The tokens at the beginning of a data set's prompts that are evaluated once per sequence and kept; may be none.
 * Follows from two prompts of the whole data set (`sharedBeginning`) and the model's tokenizer alone, so that a resumed
 * run keeps the same tokens.
 */
export function sharedTokens(pair: readonly EncodedPrompt[]): readonly number[] {
  const [a, b] = pair;
  if (a === undefined || a.kind === 'refused' || b === undefined || b.kind === 'refused') return [];
  let count = 0;
  const limit = Math.min(a.tokens.length, b.tokens.length);
  while (count < limit && a.tokens[count] === b.tokens[count]) count++;
  const sure = count - UNSURE_TOKENS;
  return sure < LEAST_SHARED_TOKENS ? [] : Array.from(a.tokens.subarray(0, sure));
}

/** Whether a prompt begins with the kept tokens and goes on after them; another one is evaluated as a whole. */
export function beginsWith(tokens: Uint32Array, shared: readonly number[]): boolean {
  return tokens.length > shared.length && shared.every((token, index) => tokens[index] === token);
}
