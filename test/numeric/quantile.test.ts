import { expect, it } from 'vitest';
import { firstFrom, median, quantile } from '../../src/numeric/quantile.js';

it('a quantile lies on the line between its two neighbours, as numpy.quantile has it', () => {
  const values = [1, 2, 4, 8];
  expect([0, 1 / 3, 0.5, 0.75, 1].map((share) => quantile(values, share))).toEqual([1, 2, 3, 5, 8]);
  expect([0, 0.7, 1].map((share) => quantile([5], share))).toEqual([5, 5, 5]);
});

it('a median is the middle value or the mean of the two middle ones, in any order, and null for no values', () => {
  expect([median([9, 1, 5]), median([9, 1, 5, 2]), median([7]), median([])]).toEqual([5, 3.5, 7, null]);
});

it('the first number from one on is found among equal ones, before all and behind all', () => {
  const values = [1, 2, 2, 2, 5];
  expect([0, 1, 1.5, 2, 3, 5, 6].map((least) => firstFrom(values, least))).toEqual([0, 0, 1, 1, 4, 4, 5]);
  expect(firstFrom([], 1)).toBe(0);
});
