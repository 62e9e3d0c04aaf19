import { expect, test } from 'vitest';
import { smallestBy } from '../../src/numeric/smallest-by.js';

test('the items of least key come in ascending order of key, equal keys in the order of the items', () => {
  const keys = [5, 1, 3, 1, 0, 9];
  expect(smallestBy(Int32Array.from(keys.keys()), 4, (item) => keys[item]!)).toEqual([4, 1, 3, 2]);
});

test('the choice equals that of a stable sort, infinities included', () => {
  const keys = Array.from({ length: 400 }, (_, n) => (n % 50 === 0 ? -Infinity : Math.round(20 * Math.sin(n * 7.3))));
  const items = Int32Array.from(keys.keys());
  const sorted = [...items].sort((a, b) => (keys[a]! === keys[b]! ? 0 : keys[a]! < keys[b]! ? -1 : 1));
  for (const count of [1, 7, 399, 1000]) {
    expect(smallestBy(items, count, (item) => keys[item]!)).toEqual(sorted.slice(0, count));
  }
});

test('an item without a key is left out, and no items give none', () => {
  expect(smallestBy(Int32Array.of(0, 1, 2), 3, (item) => (item === 1 ? Number.NaN : item))).toEqual([0, 2]);
  expect(smallestBy(Int32Array.of(), 3, () => 0)).toEqual([]);
  expect(smallestBy(Int32Array.of(4), 0, () => 0)).toEqual([]);
});
