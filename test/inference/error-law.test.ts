import { describe, expect, test } from 'vitest';
import type { BinGaps } from '../../src/inference/bin-gaps.js';
import { calibratedReference } from '../../src/inference/calibrated-reference.js';
import { errorLaw, LAW_DRAWS } from '../../src/inference/error-law.js';
import { quantile } from '../../src/numeric/quantile.js';

/** Bins of given counts, confidences and gaps, in one split unless more are named. */
function binsOf(rows: ReadonlyArray<readonly [number, number, number]>, splits = 1, overlap = 1): BinGaps {
  const column = (i: 0 | 1 | 2) => Float64Array.from(rows, (row) => row[i]);
  const counts = column(0);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return { total, counts, confidences: column(1), gaps: column(2), splits, overlap };
}

const magnitudes = ({ gaps }: BinGaps) => gaps.map(Math.abs);

/** Central moments: mean, variance, skewness. */
function momentsOf(draws: Float64Array) {
  const mean = draws.reduce((sum, draw) => sum + draw, 0) / draws.length;
  const central = (power: number) => draws.reduce((sum, draw) => sum + (draw - mean) ** power, 0) / draws.length;
  return { mean, variance: central(2), skewness: central(3) / central(2) ** 1.5 };
}

describe('the law of the measured ECE', () => {
  // Accuracies of 1/2 have no skewness, and so many examples that no sign changes: the draws are linear in normals.
  const wide = [
    [2500, 0.7, 0.2],
    [7500, 0.9, 0.4],
    [10_000, 0.3, -0.2],
  ] as const;
  const shares = [0.125, 0.375, 0.5];
  const level = 0.125 * 0.2 + 0.375 * 0.4 + 0.5 * 0.2;
  /** Var_b(u_b) / N. */
  const counting = (0.125 * 0.2 ** 2 + 0.375 * 0.4 ** 2 + 0.5 * 0.2 ** 2 - level ** 2) / 20_000;
  const noise = wide.reduce((sum, [count], b) => sum + (shares[b]! ** 2 * 0.25) / count, 0);

  test('has the level as its mean, and the noise of all bins and of their counts as its variance', () => {
    const bins = binsOf(wide);
    const law = errorLaw(bins, magnitudes(bins), 1);
    const { mean, variance } = momentsOf(law.draws);
    expect([law.draws.length, law.level, mean]).toEqual([1000, expect.closeTo(level, 12), expect.closeTo(level, 12)]);
    expect(variance / (noise + counting)).toBeCloseTo(1, 9);
  });

  test('has the variance of a mean over splits that share a part of their examples', () => {
    const bins = binsOf(wide, 5, 0.7);
    const { variance } = momentsOf(errorLaw(bins, magnitudes(bins), 1).draws);
    expect(variance / (noise * (0.7 + 0.3 / 5) + counting)).toBeCloseTo(1, 9);
  });

  test('of squares is that of the root of their sum, without the noise of counts', () => {
    const bins = binsOf(wide);
    const { level: rms, draws } = errorLaw(bins, magnitudes(bins), 2);
    expect(rms).toBeCloseTo(Math.sqrt(0.125 * 0.04 + 0.375 * 0.16 + 0.5 * 0.04), 12);
    const { mean, variance } = momentsOf(draws);
    expect(mean / rms).toBeCloseTo(1, 3);
    const delta = wide.reduce((sum, [count, , gap], b) => sum + ((shares[b]! * gap) / rms) ** 2 * (0.25 / count), 0);
    expect(variance / delta).toBeCloseTo(1, 1);
  });

  test('has the skewness of a binomial share, and of no more than its expansion allows', () => {
    // Right in 95 of 100: shares of right answers have a tail to the left, so errors have one to the right.
    const skewness = (count: number, accuracy: number) => {
      const bins = binsOf([[count, accuracy - 0.5, -0.5]]);
      const moments = momentsOf(errorLaw(bins, Float64Array.of(0.5), 1).draws);
      if (count > 2) expect(moments.mean).toBeCloseTo(0.5, 12);
      return moments.skewness;
    };
    expect(skewness(40, 0.95)).toBeCloseTo((1 - 2 * 0.95) / Math.sqrt(40 * 0.95 * 0.05), 1);
    const bins = binsOf([[40, 0.95, 0.9]]);
    expect(momentsOf(errorLaw(bins, Float64Array.of(0.9), 1).draws).skewness).toBeCloseTo(
      -(1 - 2 * 0.05) / Math.sqrt(40 * 0.05 * 0.95),
      1,
    );
    expect(skewness(2, 0.99)).toBeCloseTo(skewness(1, 0.999), 1);
  });

  test('cuts gaps where an accuracy would leave [0, 1]', () => {
    for (const [gap, kept] of [
      [0.1, 0.9],
      [-0.1, 0.1],
    ] as const) {
      const { level: cut, draws } = errorLaw(binsOf([[50, 0.9, gap]]), Float64Array.of(0.95), 1);
      expect([cut, Math.min(...draws), Math.max(...draws)]).toEqual(
        [kept, kept, kept].map((v) => expect.closeTo(v, 12)),
      );
    }
  });

  test('draws normals: as many below 0 as above, 95 of 100 below 1.645', () => {
    const bins = binsOf([[2500, 0.9, 0.4]]);
    const z = errorLaw(bins, magnitudes(bins), 1)
      .draws.map((draw) => (0.4 - draw) / 0.01)
      .sort();
    expect(quantile(z, 0.5)).toBeCloseTo(0, 1);
    expect(quantile(z, 0.95)).toBeCloseTo(1.645, 1);
    expect(quantile(z, 0.995)).toBeCloseTo(2.576, 0);
    expect(errorLaw(bins, magnitudes(bins), 1)).toEqual(errorLaw(bins, magnitudes(bins), 1));
  });
});

test('a calibrated model shows the law at gaps of 0: its mean, its 95th percentile, how often as much', () => {
  const bins = binsOf([
    [30, 0.4, 0.1],
    [70, 0.9, -0.02],
  ]);
  const draws = errorLaw(bins, new Float64Array(2), 1).draws.sort();
  const beyond = draws.filter((draw) => draw >= 0.05).length;
  const found = calibratedReference(bins, 0.05);
  expect(found.mean).toBeCloseTo(momentsOf(draws).mean, 12);
  expect([found.high, found.pValue]).toEqual([quantile(draws, 0.95), (1 + beyond) / (1 + LAW_DRAWS)]);
  expect([calibratedReference(bins, 0).pValue, calibratedReference(bins, 1).pValue]).toEqual([1, 1 / 1001]);
});
