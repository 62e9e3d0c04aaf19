import { expect, test } from 'vitest';
import { calibrateTarget } from '../../../src/calibration/calibrate-target.js';
import {
  disagreementMargins,
  weightsByPercentile,
  weightsBySign,
} from '../../../src/calibration/curves/weight-margin.js';
import { combinationCount } from '../../../src/calibration/references/enumerate-combinations.js';
import { raggedRows } from '../../../src/numeric/ragged-rows.js';

const sample = (margins: number[], weights: number[]) => ({
  margins: Float64Array.from(margins),
  weights: Float64Array.from(weights),
});

test('ten margins in any order fill ten percentile bins, one each', () => {
  const bins = weightsByPercentile([sample([5, 3, 1, 4, 2, 10, 9, 8, 7, 6], [5, 3, 1, 4, 2, 10, 9, 8, 7, 6])]);
  expect(bins.map(({ meanWeight }) => meanWeight)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(bins.map(({ lower, upper, count }) => [lower, upper, count])[9]).toEqual([90, 100, 1]);
});

test('equal margins share a percentile, so the order of the examples changes nothing', () => {
  const bins = weightsByPercentile([sample([1, 1, 1, 1], [0.1, 0.2, 0.3, 0.4])], 2);
  const other = weightsByPercentile([sample([1, 1, 1, 1], [0.4, 0.3, 0.2, 0.1])], 2);
  expect(bins.map(({ count }) => count)).toEqual([0, 4]);
  expect(bins[0]).toEqual({ lower: 0, upper: 50, count: 0, meanWeight: null, meanMargin: null });
  expect(bins[1]!.meanWeight).toBeCloseTo(0.25, 15);
  expect(other[1]!.meanWeight).toBeCloseTo(0.25, 15);
});

test('percentiles are taken within each sample: a target of large logits does not take the upper bins', () => {
  const bins = weightsByPercentile([sample([1, 2], [0.1, 0.2]), sample([1000, 2000], [0.3, 0.4])], 2);
  expect(bins.map(({ meanWeight }) => meanWeight)).toEqual([0.2, expect.closeTo(0.3, 15)]);
  expect(bins.map(({ meanMargin }) => meanMargin)).toEqual([500.5, 1001]);
});

test('mean and median weight by the sign of the margin, over all samples', () => {
  const rows = weightsBySign([sample([-1, 2, -3], [0.1, 0.9, 0.2]), sample([-5, 0], [0.6, 0.5])]);
  expect(rows).toEqual([
    { sign: 'negative', count: 3, meanWeight: expect.closeTo(0.3, 15), medianWeight: 0.2 },
    { sign: 'zero', count: 1, meanWeight: 0.5, medianWeight: 0.5 },
    { sign: 'positive', count: 1, meanWeight: 0.9, medianWeight: 0.9 },
  ]);
  expect(weightsBySign([])[0]).toEqual({ sign: 'negative', count: 0, meanWeight: null, medianWeight: null });
});

test('the number of combinations is exact where it is small and never wraps around', () => {
  expect([combinationCount(8, 4), combinationCount(8, 8), combinationCount(3, 5)]).toEqual([70, 1, 0]);
  expect([combinationCount(10, 8), combinationCount(7, 5), combinationCount(7, 0)]).toEqual([45, 21, 1]);
  expect(combinationCount(40, 20)).toBe(137846528820);
  expect(combinationCount(2000, 1000)).toBe(Number.POSITIVE_INFINITY);
});

test('rounding noise of a margin has no sign: every margin of these rows is 0 in exact arithmetic', () => {
  // z = (2, 1, 0) and p = (a, b, a): m_n = -(b - 1/3) - 2 (a - 1/3) = 1 - (2 a + b) = 0.
  const n = Array.from({ length: 18 }, (_, i) => i + 1);
  const targetLogits = raggedRows(n.map((i) => [2 * i, i, 0]));
  const ownBaseLogits = raggedRows(n.map((i) => [0, i / 8, 0]));
  const target = calibrateTarget({
    targetLogits,
    ownBaseLogits,
    references: [],
    methods: ['full-kl'],
    combinationSizes: [],
  });
  const split = target.open(Int32Array.from(n, (i) => i - 1));
  expect(split.disagreement).toHaveLength(18);
  expect(split.margins.some((margin) => margin !== 0)).toBe(true);
  const rows = weightsBySign([disagreementMargins(split, new Float64Array(18).fill(1))]);
  expect(rows.map(({ sign, count }) => [sign, count])).toEqual([
    ['negative', 0],
    ['zero', 18],
    ['positive', 0],
  ]);
});
