import { expect, test } from 'vitest';
import { SHUFFLE_GENERATOR, shuffle } from '../../../src/numeric/random/shuffle.js';

test('the order of each seed is pinned to the version of the generator', () => {
  expect(SHUFFLE_GENERATOR).toBe('fisher-yates/xoroshiro128plus/1');
  expect([1, 2, 2 ** 32 + 1].map((seed) => [...shuffle(10, seed)])).toMatchInlineSnapshot(`
    [
      [
        9,
        2,
        3,
        4,
        1,
        8,
        6,
        0,
        5,
        7,
      ],
      [
        9,
        5,
        1,
        7,
        6,
        4,
        8,
        2,
        0,
        3,
      ],
      [
        6,
        3,
        1,
        0,
        5,
        9,
        8,
        7,
        4,
        2,
      ],
    ]
  `);
});

test('it is a permutation', () => {
  expect([...shuffle(1000, 3)].sort((a, b) => a - b)).toEqual([...Array(1000).keys()]);
  expect([...shuffle(0, 3)]).toEqual([]);
});

test('every order of five is about equally frequent over seeds in a row', () => {
  const [seeds, orders] = [12_000, 120];
  const counts = new Map<string, number>();
  for (let seed = 0; seed < seeds; seed++) {
    const key = shuffle(5, seed).join();
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  expect(counts.size).toBe(orders);
  const expected = seeds / orders;
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  // Mean 119, standard deviation sqrt(2 x 119) = 15.4; too even would show below.
  expect(Math.abs(chiSquare - (orders - 1))).toBeLessThan(4 * Math.sqrt(2 * (orders - 1)));
});

test.each([1, 2, 3, 4, 5])('calibration sides of seeds %i apart overlap as much as chance says', (apart) => {
  const [count, taken, seeds] = [200, 60, 1000];
  const sides = Array.from({ length: seeds + apart }, (_, seed) => new Set(shuffle(count, seed).subarray(0, taken)));
  const overlaps = Array.from({ length: seeds }, (_, seed) => {
    const other = sides[seed + apart]!;
    return [...sides[seed]!].filter((example) => other.has(example)).length;
  });
  // The hypergeometric law: mean 18, variance 8.86.
  const expected = taken ** 2 / count;
  const variance = (expected * ((count - taken) / count) * (count - taken)) / (count - 1);
  const mean = overlaps.reduce((sum, each) => sum + each) / seeds;
  const spread = overlaps.reduce((sum, each) => sum + (each - expected) ** 2, 0) / seeds;
  expect(Math.abs(mean - expected)).toBeLessThan(4 * Math.sqrt(variance / seeds));
  expect(Math.abs(spread / variance - 1)).toBeLessThan(4 * Math.sqrt(2 / seeds));
});
