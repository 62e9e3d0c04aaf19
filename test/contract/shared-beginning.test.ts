import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEAST_SHARED_TOKENS, sharedBeginning, sharesTooLittle } from '../../src/contract/shared-beginning.js';

const common = (a: string, b: string): string => {
  let n = 0;
  while (n < Math.min(a.length, b.length) && a[n] === b[n]) n++;
  return a.slice(0, n);
};

describe('sharedBeginning', () => {
  it('gives two prompts whose common beginning every prompt has', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'é'), maxLength: 6 }), { minLength: 2 }),
        (texts) => {
          const pair = sharedBeginning(texts.map((text) => ({ text })));
          if (pair === null) {
            expect(new Set(texts).size).toBe(1);
            return;
          }
          const beginning = common(pair[0].text, pair[1].text);
          for (const text of texts) expect(text.startsWith(beginning)).toBe(true);
        },
      ),
    );
  });

  it('gives the same two in every order', () => {
    const texts = ['a b', 'a c', 'a', 'a bb'].map((text) => ({ text }));
    expect(sharedBeginning(texts)).toEqual([{ text: 'a' }, { text: 'a c' }]);
    expect(sharedBeginning([...texts].reverse())).toEqual([{ text: 'a' }, { text: 'a c' }]);
  });

  it('gives none for one text or no prompt', () => {
    expect(sharedBeginning([{ text: 'a' }, { text: 'a' }])).toBeNull();
    expect(sharedBeginning([])).toBeNull();
  });
});

it('texts share too little to keep where their common beginning has fewer characters than tokens are kept', () => {
  const pair = (beginning: string) => [{ text: `${beginning}a` }, { text: `${beginning}b` }] as const;
  expect(sharesTooLittle(null)).toBe(true);
  expect(sharesTooLittle(pair('Question: '))).toBe(true);
  expect(sharesTooLittle(pair('x'.repeat(LEAST_SHARED_TOKENS - 5)))).toBe(false);
  // A character may be several tokens.
  expect(sharesTooLittle(pair('\u6f22'))).toBe(false);
});
