import { describe, expect, test } from 'vitest';
import { type BinGaps, binGaps, binnedError } from '../../../src/inference/interval/bin-gaps.js';
import { eceInterval, wideningOf } from '../../../src/inference/interval/ece-interval.js';
import { errorLaw } from '../../../src/inference/interval/error-law.js';
import { mixedGaps, shrunkGaps, smoothedGaps } from '../../../src/inference/interval/gap-families.js';
import { shareBelow } from '../../../src/inference/law/skewed-law.js';
import { reliabilityBin } from '../../../src/metrics/bins/reliability-bin.js';

type Row = readonly [count: number, confidence: number, gap: number];

function binsOf(rows: readonly Row[], splits = 1, overlap = 1): BinGaps {
  const column = (i: 0 | 1 | 2) => Float64Array.from(rows, (row) => row[i]);
  const counts = column(0);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return { total, counts, confidences: column(1), gaps: column(2), splits, overlap };
}

/** Signal and noise of like size: gaps of 0.02 to 0.2 in bins of 20 to 200. */
const MIXED: readonly Row[] = [
  [20, 0.35, 0.2],
  [60, 0.55, -0.03],
  [90, 0.72, 0.08],
  [200, 0.95, 0.06],
];

/** The noise of a gap, with two more examples that are right as often as they claim. */
const noiseOf = ({ counts, confidences, gaps, splits, overlap }: BinGaps) =>
  Array.from(counts, (n, b) => {
    const right = (n * (confidences[b]! - gaps[b]!) + 2 * confidences[b]!) / (n + 2);
    return (Math.max(right * (1 - right), 1e-4) / n) * (1 / splits + ((splits - 1) / splits) * overlap);
  });

/** The variance on the grid under which independent normal gaps are likeliest. */
function likeliest(gaps: readonly number[], noise: readonly number[]): number {
  const grid = [1e-8, ...Array.from({ length: 40 }, (_, i) => (0.002 * 1.2 ** (i + 1)) ** 2)];
  const density = (variance: number) =>
    gaps.reduce((log, gap, b) => {
      const v = variance + noise[b]!;
      return log - 0.5 * Math.log(2 * Math.PI * v) - (0.5 * gap ** 2) / v;
    }, 0);
  return grid.reduce((best, each) => (density(each) > density(best) ? each : best));
}

describe.each([
  ['one split', binsOf(MIXED)],
  ['five splits', binsOf(MIXED, 5, 0.7)],
])('the likely gaps of %s', (_name, bins) => {
  const noise = noiseOf(bins);

  test('are in shrunkGaps the roots of the posterior mean squares, scaled to the level', () => {
    const prior = likeliest([...bins.gaps], noise);
    expect(prior).toBeGreaterThan(1e-5);
    const roots = noise.map((v, b) => {
      const [mean, variance] = [(prior * bins.gaps[b]!) / (prior + v), (prior * v) / (prior + v)];
      return Math.hypot(mean, Math.sqrt(variance));
    });
    for (const power of [1, 2] as const) {
      const found = shrunkGaps(bins, power)(0.03);
      expect(binnedError(bins, found, power)).toBeCloseTo(0.03, 12);
      for (const [b, root] of roots.entries()) expect(found[b]! / found[0]!).toBeCloseTo(root / roots[0]!, 10);
    }
  });

  test('are in smoothedGaps a line of least squares, and a share of what it leaves', () => {
    let [prior, expected]: [number, number[]] = [0, []];
    for (let i = 0; i < 3; i++) {
      const weights = noise.map((v) => 1 / (v + prior));
      const mean = (values: ArrayLike<number>) =>
        weights.reduce((sum, w, b) => sum + w * values[b]!, 0) / weights.reduce((sum, w) => sum + w, 0);
      const [x, y] = [mean(bins.confidences), mean(bins.gaps)];
      const slope =
        mean(bins.confidences.map((c, b) => (c - x) * (bins.gaps[b]! - y))) /
        mean(bins.confidences.map((c) => (c - x) ** 2));
      const line = Array.from(bins.confidences, (c) => y + slope * (c - x));
      const left = line.map((each, b) => bins.gaps[b]! - each);
      prior = likeliest(left, noise);
      expected = line.map((each, b) => each + (prior / (prior + noise[b]!)) * left[b]!);
    }
    expect([...smoothedGaps(bins)]).toEqual(expected.map((gap) => expect.closeTo(gap, 10)));
  });

  test('are in mixedGaps 0.85 of the measured ones less a multiple of p (1 - p), and the rest shrunk', () => {
    const size = binnedError(bins, bins.gaps, 1);
    const spread = noise.map((v, b) => v * bins.counts[b]!);
    for (const level of [0.2 * size, 0.6 * size, 0.95 * size]) {
      const mixed = mixedGaps(bins, 1)(level);
      const near = shrunkGaps(bins, 1)(level).map((gap, b) => (mixed[b]! - 0.15 * gap) / 0.85);
      expect(binnedError(bins, near, 1)).toBeCloseTo(level, 5);
      const by = Math.max(...near.map((gap, b) => (gap > 0 ? (Math.abs(bins.gaps[b]!) - gap) / spread[b]! : 0)));
      for (const [b, gap] of near.entries())
        expect(gap).toBeCloseTo(Math.max(0, Math.abs(bins.gaps[b]!) - by * spread[b]!), 10);
    }
    for (const [power, level] of [
      [1, 1.4 * size],
      [2, 0.05],
    ] as const) {
      const [mixed, shrunk] = [mixedGaps(bins, power)(level), shrunkGaps(bins, power)(level)];
      const scale = level / binnedError(bins, bins.gaps, power);
      for (const [b, gap] of mixed.entries())
        expect(gap).toBeCloseTo(0.85 * Math.abs(bins.gaps[b]!) * scale + 0.15 * shrunk[b]!, 12);
    }
  });
});

test('gaps that noise explains are alike, those of a line stay, and bins of one confidence have a mean', () => {
  const noisy = binsOf([
    [50, 0.3, 0.02],
    [50, 0.9, -0.01],
  ]);
  const alike = shrunkGaps(noisy, 1)(0.04);
  expect([...alike]).toEqual([expect.closeTo(0.04, 3), expect.closeTo(0.04, 3)]);
  const straight = binsOf([0.2, 0.5, 0.6, 0.9].map((c): Row => [30, c, 0.3 - 0.4 * c]));
  expect([...smoothedGaps(straight)]).toEqual([...straight.gaps].map((gap) => expect.closeTo(gap, 10)));
  const flat = smoothedGaps(
    binsOf([
      [40, 0.7, 0.01],
      [40, 0.7, 0.02],
    ]),
  );
  expect([...flat]).toEqual([expect.closeTo(0.015, 3), expect.closeTo(0.015, 3)]);
});

test('binGaps puts the filled bins of splits together by their counts', () => {
  const bin = (count: number, hits: number, confidences: number) => reliabilityBin([0, 1], count, hits, confidences);
  const empty = bin(0, 0, 0);
  const { splits, overlap, total, ...columns } = binGaps(
    [
      [empty, bin(4, 3, 2), empty, bin(6, 6, 5.4)],
      [bin(2, 0, 0.2), bin(8, 2, 4.4), empty, empty],
    ],
    0.7,
  );
  expect([splits, overlap, total]).toEqual([2, 0.7, 10]);
  expect([...columns.counts]).toEqual([1, 6, 3]);
  expect([...columns.confidences]).toEqual([0.1, 6.4 / 12, 0.9].map((value) => expect.closeTo(value, 12)));
  expect([...columns.gaps]).toEqual([0.1, 1.4 / 12, -0.1].map((value) => expect.closeTo(value, 12)));
  expect(binGaps([[bin(4, 3, 2)]], 0.7)).toMatchObject({ splits: 1, overlap: 1 });
});

describe('an interval is where its tails are', () => {
  const bins = binsOf(MIXED);
  const measured = binnedError(bins, bins.gaps, 1);
  const calibrated = errorLaw(bins, new Float64Array(4), 1).moments.mean;
  const step = 0.002;

  /** Shares of the law of a level below and above what was measured, and the weight of the lower tail. */
  function tailsAt(gaps: Float64Array, widening: number) {
    const { moments } = errorLaw(bins, gaps, 1);
    const { mean, deviation } = moments;
    const apart = Math.min(1, Math.max(0, (mean - calibrated) / (1.6449 * deviation * widening)));
    const below = shareBelow(moments, mean + (measured - mean) / widening);
    return { below, above: 1 - below, lower: 0.025 * apart };
  }

  test.each([1, 1.5])('at its upper end the lower tail, at its lower end the upper one, widened by %d', (widening) => {
    const { low, high } = eceInterval(bins, measured, { widening });
    const upper = [high - step, high + step].map((level) => tailsAt(shrunkGaps(bins, 1)(level), widening));
    expect(upper.map(({ below, lower }) => below > lower)).toEqual([true, false]);
    const lower = [low - step, low + step].map((level) => tailsAt(mixedGaps(bins, 1)(level), widening));
    expect(lower.map((at) => at.above > 0.05 - at.lower)).toEqual([false, true]);
    expect([low > step, high - low > 0.03]).toEqual([true, true]);
  });

  test('a total standard error widens it as far as it is larger than the law at the likely gaps', () => {
    const { deviation } = errorLaw(bins, smoothedGaps(bins).map(Math.abs), 1).moments;
    expect(wideningOf(bins, { totalError: 1.7 * deviation })).toBeCloseTo(1.7, 9);
    expect(wideningOf(bins, { totalError: 0.5 * deviation })).toBe(1);
    expect(wideningOf(bins, { totalError: 1.1 * deviation, widening: 1.3 })).toBe(1.3);
    expect(wideningOf(bins, {})).toBe(1);
    expect(wideningOf(binsOf([[9, 1, 1]]), { totalError: 0.1, widening: 1.2 })).toBe(1.2);
  });
});
