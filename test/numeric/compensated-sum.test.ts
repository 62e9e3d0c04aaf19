import { expect, test } from 'vitest';
import { compensatedSum } from '../../src/numeric/compensated-sum.js';
import { mean, sampleStandardDeviation, standardError } from '../../src/numeric/mean.js';
import { weightedMean } from '../../src/numeric/weighted-mean.js';

test('small terms survive large ones that cancel', () => {
  expect(compensatedSum([1, 1e100, 1, -1e100])).toBe(2);
});

test('0.1 ten million times is a million', () => {
  expect(compensatedSum(new Float64Array(10_000_000).fill(0.1))).toBeCloseTo(1_000_000, 8);
});

test('an infinite sum stays infinite', () => {
  expect(compensatedSum([1, Number.POSITIVE_INFINITY, 2])).toBe(Number.POSITIVE_INFINITY);
});

test('one value has a mean but no standard error', () => {
  expect([mean([3]), sampleStandardDeviation([3]), standardError([3]), mean([])]).toEqual([3, null, null, null]);
});

test('the standard error divides by n - 1, then by the root of n', () => {
  expect(sampleStandardDeviation([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(2.138089935299395, 14);
  expect(standardError([1, 2, 3])).toBeCloseTo(1 / Math.sqrt(3), 15);
});

test('a weight of 0 leaves even an infinite value out', () => {
  expect(weightedMean(Float64Array.of(4, Number.NEGATIVE_INFINITY, 1), Float64Array.of(1, 0, 2), 3)).toBe(2);
});
