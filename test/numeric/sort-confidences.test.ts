import { describe, expect, it } from 'vitest';
import { seededGenerator } from '../../src/numeric/random/seeded-generator.js';
import { sortConfidences } from '../../src/numeric/sort-confidences.js';

/** Numbers in [0, 1), some of them equal. */
function draws(count: number, make: (uniform: number) => number): Float64Array {
  const generator = seededGenerator(7);
  return Float64Array.from({ length: count }, () => make((generator.next() >>> 0) / 2 ** 32));
}

describe('sortConfidences', () => {
  it.each<[string, Float64Array]>([
    ['few numbers', draws(100, (u) => u)],
    ['as many as are put into buckets', draws(1 << 16, (u) => u)],
    ['many, with ties and both ends', draws(70_000, (u) => Math.round(u * 50_000) / 50_000)],
    ['many in one bucket, few in others', draws(70_000, (u) => (u < 0.01 ? u : 1 - u * 1e-6))],
    ['buckets of one to fifty numbers', draws(70_000, (u) => u ** 4)],
  ])('puts %s in ascending order', (_, values) => {
    const sorted = sortConfidences(values);
    expect(Buffer.from(sorted.buffer).equals(Buffer.from(values.slice().sort().buffer))).toBe(true);
  });

  it('writes to the front of a longer array and leaves what is given as it was', () => {
    const [values, into] = [Float64Array.of(0.5, 1, 0), new Float64Array(5).fill(9)];
    expect([...sortConfidences(values, into)]).toEqual([0, 0.5, 1]);
    expect([...into, ...values]).toEqual([0, 0.5, 1, 9, 9, 0.5, 1, 0]);
  });
});
