import { describe, expect, test } from 'vitest';
import type { BinGaps } from '../../../src/inference/interval/bin-gaps.js';
import { calibratedReference } from '../../../src/inference/interval/calibrated-reference.js';
import { errorLaw } from '../../../src/inference/interval/error-law.js';
import { shareBelow, upperQuantile } from '../../../src/inference/law/skewed-law.js';

/** Bins of given counts, confidences and gaps, in one split unless more are named. */
function binsOf(rows: ReadonlyArray<readonly [number, number, number]>, splits = 1, overlap = 1): BinGaps {
  const column = (i: 0 | 1 | 2) => Float64Array.from(rows, (row) => row[i]);
  const counts = column(0);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return { total, counts, confidences: column(1), gaps: column(2), splits, overlap };
}

const lawOf = (bins: BinGaps, power: 1 | 2 = 1) => errorLaw(bins, bins.gaps.map(Math.abs), power);

describe('the law of the measured ECE', () => {
  // Accuracies of 1/2 have no skewness, and so many examples that no sign changes: the error is linear in normals.
  const wide = [
    [2500, 0.7, 0.2],
    [7500, 0.9, 0.4],
    [10_000, 0.3, -0.2],
  ] as const;
  const shares = [0.125, 0.375, 0.5];
  const squares = 0.125 * 0.2 ** 2 + 0.375 * 0.4 ** 2 + 0.5 * 0.2 ** 2;
  const level = 0.125 * 0.2 + 0.375 * 0.4 + 0.5 * 0.2;
  /** Var_b(u_b) / N. */
  const counting = (squares - level ** 2) / 20_000;
  const noise = wide.reduce((sum, [count], b) => sum + (shares[b]! ** 2 * 0.25) / count, 0);

  test.each([
    ['one split', 1, 1, 1],
    ['five splits that share 0.7 of their examples', 5, 0.7, 0.7 + 0.3 / 5],
  ])(
    'of %s has the level as its mean, and the noise of bins and counts as its variance',
    (_, splits, overlap, part) => {
      const { level: found, moments } = lawOf(binsOf(wide, splits, overlap));
      expect([found, moments.mean]).toEqual([expect.closeTo(level, 12), expect.closeTo(level, 9)]);
      expect(moments.deviation ** 2 / (noise * part + counting)).toBeCloseTo(1, 4);
      expect(moments.skewness).toBeCloseTo(0, 6);
    },
  );

  test('of squares has the moments of a sum of squared normals, without the noise of counts', () => {
    const { level: rms, moments } = lawOf(binsOf(wide), 2);
    expect(rms).toBeCloseTo(Math.sqrt(squares), 12);
    const v = wide.map(([count]) => 0.25 / count);
    const sum = (of: (gap: number, v: number) => number, power: number) =>
      wide.reduce((all, [, , gap], b) => all + shares[b]! ** power * of(gap, v[b]!), 0);
    expect(moments.mean).toBeCloseTo(
      sum((gap, each) => gap ** 2 + each, 1),
      9,
    );
    const variance = sum((gap, each) => 4 * gap ** 2 * each + 2 * each ** 2, 2);
    expect(moments.deviation ** 2 / variance).toBeCloseTo(1, 4);
    const third = sum((gap, each) => 24 * gap ** 2 * each ** 2 + 8 * each ** 3, 3);
    expect(moments.skewness / (third / variance ** 1.5)).toBeCloseTo(1, 3);
  });

  test('of a gap of 0 is a normal law that is folded', () => {
    const { mean, deviation, skewness } = errorLaw(binsOf([[400, 0.5, 0.1]]), Float64Array.of(0), 1).moments;
    expect(mean / (0.025 * Math.sqrt(2 / Math.PI))).toBeCloseTo(1, 2);
    expect(deviation / (0.025 * Math.sqrt(1 - 2 / Math.PI))).toBeCloseTo(1, 2);
    expect(skewness).toBeCloseTo(0.9953, 1);
  });

  test.each([
    [40, 0.95, 1, 1],
    [40, 0.05, 1, 1],
    [40, 0.95, 5, 0.7],
    [2, 0.99, 1, 1],
  ])('has the skewness of a share of %d examples, right in %d, over %d splits', (count, accuracy, S, overlap) => {
    // The noise is d (z + b (z^2 - 1)) with 6 b the skewness of a share, which is not taken to be larger than 1.
    const k = (1 - 2 * accuracy) / Math.sqrt(count * accuracy * (1 - accuracy));
    const b = Math.max(-1, Math.min(1, k)) / 6;
    const d = Math.sqrt((accuracy * (1 - accuracy)) / count);
    const near = 1 + (S - 1) * overlap;
    const variance = d ** 2 * (near / S + (2 * b ** 2 * (1 + (S - 1) * overlap ** 2)) / S);
    const third =
      d ** 3 * ((6 * b * near ** 2) / S ** 2 + (8 * b ** 3 * (near ** 3 + (S - 1) * (1 - overlap) ** 3)) / S ** 3);
    const over = accuracy < 0.5 ? 1 : -1;
    const { mean, deviation, skewness } = lawOf(
      binsOf([[count, accuracy + over * 0.5, over * 0.5]], S, overlap),
    ).moments;
    expect([mean, deviation ** 2 / variance]).toEqual([expect.closeTo(0.5, 4), expect.closeTo(1, 3)]);
    expect(skewness / ((-over * third) / variance ** 1.5)).toBeCloseTo(1, 2);
  });

  test('cuts gaps where an accuracy would leave [0, 1], and has no noise there', () => {
    for (const [gap, kept] of [
      [0.1, 0.9],
      [-0.1, 0.1],
    ] as const) {
      const { level: cut, moments } = errorLaw(binsOf([[50, 0.9, gap]]), Float64Array.of(0.95), 1);
      expect([cut, moments.mean]).toEqual([expect.closeTo(kept, 12), expect.closeTo(kept, 12)]);
      expect(moments.deviation).toBeLessThan(1e-7);
    }
  });
});

test('a calibrated model shows the law at gaps of 0: its mean, its 95th percentile, how often as much', () => {
  const bins = binsOf([
    [30, 0.4, 0.1],
    [70, 0.9, -0.02],
  ]);
  const { moments } = errorLaw(bins, new Float64Array(2), 1);
  const found = calibratedReference(bins, 0.05);
  expect(found).toEqual({
    mean: moments.mean,
    high: upperQuantile(moments, 0.95),
    pValue: expect.closeTo(1 - shareBelow(moments, 0.05), 6),
  });
  expect(calibratedReference(bins, found.high).pValue).toBeCloseTo(0.05, 2);
  expect([calibratedReference(bins, -1).pValue, calibratedReference(bins, 1).pValue]).toEqual([1, 1e-4]);
  const rms = calibratedReference(bins, 0.07, 2);
  const squared = errorLaw(bins, new Float64Array(2), 2).moments;
  expect(rms.pValue).toBeCloseTo(1 - shareBelow(squared, 0.07 ** 2), 6);
  expect(rms.high ** 2).toBeCloseTo(upperQuantile(squared, 0.95), 12);
  expect(rms.mean ** 2).toBeCloseTo(squared.mean - squared.deviation ** 2 / (4 * squared.mean), 12);
});
