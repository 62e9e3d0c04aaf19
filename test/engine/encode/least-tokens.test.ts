import { expect, it } from 'vitest';
import { leastOf, leastTokens, tokenReach } from '../../../src/engine/encode/least-tokens.js';
import type { WirePrompt } from '../../../src/engine/protocol/protocol.js';

/** How a vocabulary of bytes spells its 256 bytes, as GPT-2 does. */
const BYTES = Array.from({ length: 256 }, (_, n) => {
  const visible = (n > 0x20 && n < 0x7f) || (n > 0xa0 && n !== 0xad);
  return String.fromCharCode(visible ? n : 0x100 + n);
});
const vocabulary = {
  tokens: [...BYTES, 'Ġhello', '1234', '====', '<|reserved_special_token_9|>'],
  token_type: [] as number[],
};
vocabulary.token_type[259] = 3;
const prompt: WirePrompt = { id: 'q', text: '', mode: 'letter', continuations: ['A', 'B'], answerPrefix: null };

it('takes the most bytes of each kind that a token of data stands for, control tokens left aside', () => {
  expect(tokenReach('gpt2', vocabulary)).toEqual([5, 4, 4, 2]);
  expect(tokenReach('llama', { tokens: ['▁the', '<0xE2>', 'é'] })).toEqual([3, 2, 2, 3]);
});

it('knows nothing of vocabularies that drop bytes or make one token of many unknown ones', () => {
  expect(tokenReach('bert', vocabulary)).toBeNull();
  expect(tokenReach('t5', vocabulary)).toBeNull();
  expect(tokenReach('gpt2', { tokens: vocabulary.tokens.slice(1) })).toBeNull();
  expect(tokenReach('gpt2', { tokens: vocabulary.tokens.slice(40) })).toBeNull();
  expect(tokenReach('gpt2', {})).toBeNull();
});

it('is never more than the tokens of a text, whichever kind of bytes that needs most', () => {
  const reach = tokenReach('gpt2', vocabulary)!;
  expect(leastTokens('hello hello   hello', reach)).toBe(3);
  expect(leastTokens('x', reach)).toBe(1);
  expect(leastTokens('12341', reach)).toBe(2);
  expect(leastTokens('é😀 ', reach)).toBe(3);
  expect(leastTokens(' \n\t', reach)).toBe(0);
});

it('looks at long prompts alone: the longest order of options, the longest option in text mode', () => {
  const reach = () => [5, 4, 4, 2] as const;
  const long = 'a'.repeat(100_000);
  expect(leastOf({ ...prompt, text: 'a'.repeat(60_000) }, () => expect.fail('looked at'))).toBe(0);
  expect(leastOf({ ...prompt, text: long }, reach)).toBe(20_000);
  expect(leastOf({ ...prompt, text: long }, () => null)).toBe(0);
  const rotations = [{ text: long, continuations: ['A', 'B'] }] as NonNullable<WirePrompt['rotations']>;
  expect(leastOf({ ...prompt, mode: 'rotations', rotations }, reach)).toBe(20_000);
  expect(leastOf({ ...prompt, text: long, mode: 'text', continuations: ['no', 'hello'.repeat(9)] }, reach)).toBe(
    20_009,
  );
});
