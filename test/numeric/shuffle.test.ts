import { expect, test } from 'vitest';
import { SHUFFLE_GENERATOR, shuffle } from '../../src/numeric/shuffle.js';

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

test('every order of three is about equally frequent over neighbouring seeds', () => {
  const counts = new Map<string, number>();
  for (let seed = 0; seed < 6000; seed++) {
    const key = shuffle(3, seed).join();
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  expect(counts.size).toBe(6);
  // Five standard deviations of a binomial count.
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(5 * Math.sqrt(1000 * (5 / 6)));
});
