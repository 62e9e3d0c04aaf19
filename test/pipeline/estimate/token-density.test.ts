import { expect, it } from 'vitest';
import { tokenDensity } from '../../../src/pipeline/estimate/token-density.js';

/** Tokens that are estimated of one text. */
function tokensOf(text: string, vocabulary?: number): number {
  return tokenDensity([text], vocabulary) * text.length;
}

it('counts words with the space before them, marks that stand together, digits one by one, and other space', () => {
  // Question | : | _What | _is | space | 1 | 2 | _+ | space | 7 | ?\n is a mark and a break | A | . | _Yes
  expect(tokensOf('Question: What is 12 + 7?\nA. Yes')).toBeCloseTo(16, 9);
});

it('cuts long words, sooner where the vocabulary is small', () => {
  const word = 'pneumonia';
  expect([tokensOf(word), tokensOf(word, 262_144), tokensOf(word, 49_152)].map(Math.round)).toEqual([2, 2, 2]);
  expect([tokensOf('history'), tokensOf('history', 49_152)].map(Math.round)).toEqual([1, 2]);
});

it('takes letters of every script as words, and marks of none', () => {
  expect([tokensOf('\u00fcber'), tokensOf('\u0440\u0443\u0441'), tokensOf('(...)')].map(Math.round)).toEqual([1, 1, 1]);
});

it('is that of a sample where there are many texts, and nothing where there is none', () => {
  const texts = Array.from({ length: 1000 }, (_, n) => (n % 10 === 0 ? 'one two' : 'x'.repeat(10_000)));
  expect(tokenDensity(texts)).toBeCloseTo(2 / 7, 9);
  expect([tokenDensity([]), tokenDensity([''])]).toEqual([0, 0]);
});
