import type { TailsRow } from '../protocol/backend.js';
import type { EncodedRotations } from './encode-rotations.js';
import type { EncodedPrompt } from './encoded-prompt.js';

export type EncodedLetters = Extract<EncodedPrompt, { kind: 'ok' }>;

/**
 * How many tokens a plain prompt and the other orders of its options begin with, so that each has at least one left.
 * That is the orders' own stem, or less where all of them go on alike and the plain prompt does not.
 */
export function plainStem({ tokens: plain }: EncodedLetters, { tokens: stem }: EncodedRotations): number {
  const limit = Math.min(plain.length - 1, stem.length);
  let length = 0;
  while (length < limit && plain[length] === stem[length]) length++;
  return length;
}

/** The plain prompt and the other orders as tails of what all begin with, the plain one first. */
export function tailsAfterPlain(plain: EncodedLetters, rotated: EncodedRotations): TailsRow {
  const stem = plainStem(plain, rotated);
  const rest = Array.from(rotated.tokens.subarray(stem));
  const others = rotated.tails.map(({ tokens, optionIds }) => ({ tokens: [...rest, ...tokens], optionIds }));
  const first = { tokens: Array.from(plain.tokens.subarray(stem)), optionIds: plain.optionIds };
  return { tokens: Array.from(plain.tokens.subarray(0, stem)), tails: [first, ...others] };
}
