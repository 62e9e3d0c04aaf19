import { expect, it } from 'vitest';
import { mean, sampleStandardDeviation, standardError } from '../../src/numeric/mean.js';

it('mean, sample deviation and standard error of numbers, null where there are too few', () => {
  const values = [2, 4, 4, 6];
  expect([mean(values), mean([3]), mean([])]).toEqual([4, 3, null]);
  expect(sampleStandardDeviation(values)).toBeCloseTo(Math.sqrt(8 / 3), 14);
  expect(standardError(values)).toBeCloseTo(Math.sqrt(8 / 3) / 2, 14);
  expect([sampleStandardDeviation([1]), standardError([1]), sampleStandardDeviation([])]).toEqual([null, null, null]);
  expect(standardError([1, 3])).toBe(1);
});
