import { describe, expect, it } from 'vitest';
import { type TokenTree, tokenTree, treeDepth } from '../../../src/engine/protocol/token-tree.js';

const of = (...texts: number[][]) => tokenTree(texts.map((tokens) => ({ text: tokens.join(' '), tokens })));
const textsOf = ({ next, text }: TokenTree): string[] => (text === null ? [...next.values()].flatMap(textsOf) : [text]);

describe('tokenTree', () => {
  it('shares the beginnings of texts and ends each in its text', () => {
    const tree = of([1, 2, 3], [1, 2, 4, 5], [6])!;
    expect([...tree.next.keys()]).toEqual([1, 6]);
    expect([...tree.next.get(1)!.next.get(2)!.next.keys()]).toEqual([3, 4]);
    expect(textsOf(tree)).toEqual(['1 2 3', '1 2 4 5', '6']);
    expect(treeDepth(tree)).toBe(4);
  });

  it('is none where two texts have the same tokens, one begins with another, or one has none', () => {
    expect(of([1, 2], [1, 2])).toBeNull();
    expect(of([1, 2], [1, 2, 3])).toBeNull();
    expect(of([1, 2, 3], [1, 2])).toBeNull();
    expect(of([1], [])).toBeNull();
  });
});
