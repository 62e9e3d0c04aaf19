import { describe, expect, it } from 'vitest';
import { everyNthExample } from '../../../src/pipeline/estimate/every-nth-example.js';

const replies = (examples: number, each: number) =>
  Array.from({ length: examples * each }, (_, n) => ({ example: `q${Math.floor(n / each)}`, sample: n % each }));
const exampleOf = ({ example }: { readonly example: string }) => example;

describe('everyNthExample', () => {
  it('takes all that belongs to every nth example, in the given order', () => {
    const all = replies(7, 5);
    expect(everyNthExample(all, 1, exampleOf)).toEqual(all);
    const some = everyNthExample(all, 3, exampleOf);
    expect(some.map(exampleOf)).toEqual(['q0', 'q3', 'q6'].flatMap((id) => Array.from({ length: 5 }, () => id)));
    expect(some.map(({ sample }) => sample)).toEqual([0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4]);
  });

  it('keeps an example whole where its parts do not stand together', () => {
    const all = [...replies(4, 1), ...replies(4, 1)];
    expect(everyNthExample(all, 2, exampleOf).map(exampleOf)).toEqual(['q0', 'q2', 'q0', 'q2']);
  });
});
