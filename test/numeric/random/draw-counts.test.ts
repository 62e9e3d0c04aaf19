import { expect, test } from 'vitest';
import { quantile } from '../../../src/numeric/quantile.js';
import { drawCounts } from '../../../src/numeric/random/draw-counts.js';
import { seededGenerator } from '../../../src/numeric/random/seeded-generator.js';

test('counts add up to the number of draws, in their own lane', () => {
  const counts = new Float64Array(7 * 3);
  drawCounts(seededGenerator(5), 7, counts, { stride: 3, offset: 1 });
  expect(counts.filter((_, i) => i % 3 === 1).reduce((a, b) => a + b)).toBe(7);
  expect(counts.filter((_, i) => i % 3 !== 1).every((count) => count === 0)).toBe(true);
});

test('the draws of a seed never change: they are part of the named generator', () => {
  const counts = new Float64Array(10);
  drawCounts(seededGenerator(1), 10, counts);
  expect([...counts]).toEqual([0, 0, 0, 2, 1, 1, 4, 1, 0, 1]);
});

test('counts have the mean and variance of the multinomial law', () => {
  const generator = seededGenerator(9);
  const firsts = Array.from({ length: 4000 }, () => {
    const counts = new Float64Array(20);
    drawCounts(generator, 20, counts);
    return counts[0]!;
  });
  const mean = firsts.reduce((a, b) => a + b) / firsts.length;
  const variance = firsts.reduce((sum, x) => sum + (x - mean) ** 2, 0) / firsts.length;
  expect(Math.abs(mean - 1)).toBeLessThan(0.06);
  expect(Math.abs(variance - 0.95)).toBeLessThan(0.08);
});

test('quantiles are linear between order statistics, as numpy.quantile', () => {
  const sorted = [1, 2, 4, 8];
  expect([0, 0.025, 0.5, 0.75, 1].map((share) => quantile(sorted, share))).toEqual([1, 1.075, 3, 5, 8]);
  expect(quantile([3], 0.975)).toBe(3);
});
