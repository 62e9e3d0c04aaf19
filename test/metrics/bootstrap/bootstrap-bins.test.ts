import { describe, expect, test } from 'vitest';
import { binResiduals } from '../../../src/metrics/bootstrap/bin-residuals.js';
import { binnedClusters } from '../../../src/metrics/bootstrap/binned-clusters.js';
import { bootstrapBins } from '../../../src/metrics/bootstrap/bootstrap-bins.js';
import { drawLanes } from '../../../src/metrics/bootstrap/draw-lanes.js';
import { quantile } from '../../../src/numeric/quantile.js';

const binning = { bins: 2, binEdges: 'equal-width', edgeRule: 'left-owned' } as const;
const sample = (confidences: number[], correct: number[], clusters = confidences.map((_, n) => n)) => ({
  clusters: Int32Array.from(clusters),
  correct,
  residuals: binResiduals(Float64Array.from(confidences), correct, binning),
});
const options = { clusterCount: 200, resamples: 400, seed: 1 };

describe('the interval of the accuracy of a bin', () => {
  // 100 examples under 0.5 of which 30 are right, 100 above of which 90 are.
  const confidences = Array.from({ length: 200 }, (_, n) => (n < 100 ? 0.3 : 0.8));
  const correct = confidences.map((_, n) => (n < 30 || (n >= 100 && n < 190) ? 1 : 0));

  test('is about two binomial standard errors wide on both sides', () => {
    const [[low, high]] = bootstrapBins([binnedClusters([sample(confidences, correct)], 200)], options) as [
      [{ low: number; high: number }, { low: number; high: number }],
    ];
    expect(low.low).toBeCloseTo(0.3 - 1.96 * Math.sqrt((0.3 * 0.7) / 100), 1);
    expect(low.high).toBeCloseTo(0.3 + 1.96 * Math.sqrt((0.3 * 0.7) / 100), 1);
    expect(high.low).toBeCloseTo(0.9 - 1.96 * 0.03, 1);
    expect(high.high).toBeLessThanOrEqual(1);
  });

  test('does not shrink when the same examples come again under other seeds', () => {
    const one = sample(confidences, correct);
    const intervals = bootstrapBins([binnedClusters([one], 200), binnedClusters([one, one, one], 200)], options);
    expect(intervals[1]).toEqual(intervals[0]);
  });

  test('is wider when copies of one example are drawn together', () => {
    const copies = confidences.map((_, n) => Math.floor(n / 5));
    const width = ([bins]: ReturnType<typeof bootstrapBins>) => bins![0]!.high - bins![0]!.low;
    const apart = bootstrapBins([binnedClusters([sample(confidences, correct)], 200)], options);
    const together = bootstrapBins([binnedClusters([sample(confidences, correct, copies)], 40)], {
      ...options,
      clusterCount: 40,
    });
    expect(width(together)).toBeGreaterThan(1.3 * width(apart));
  });

  test('is the same for the same seed and another for another', () => {
    const diagram = binnedClusters([sample(confidences, correct)], 200);
    expect(bootstrapBins([diagram], options)).toEqual(bootstrapBins([diagram], options));
    expect(bootstrapBins([diagram], { ...options, seed: 2 })).not.toEqual(bootstrapBins([diagram], options));
  });
});

test('a bin has the interval of the accuracies that the draws give it, whatever the number of resamples', () => {
  const [confidences, correct] = [
    [0.3, 0.8, 0.2, 0.7, 0.1, 0.9, 0.4],
    [1, 0, 0, 1, 0, 1, 1],
  ];
  for (const resamples of [1, 2, 3, 4, 5, 6, 7, 8, 11, 15]) {
    const given = { clusterCount: 7, resamples, seed: 3 };
    const accuracies: Float64Array[] = [new Float64Array(resamples), new Float64Array(resamples)];
    drawLanes(given, (draws, first, lanes) => {
      for (let lane = 0; lane < lanes; lane++)
        for (const [b, own] of accuracies.entries()) {
          const members = confidences.flatMap((confidence, n) => (Number(confidence >= 0.5) === b ? [n] : []));
          const drawn = (of: (n: number) => number) =>
            members.reduce((sum, n) => sum + of(n) * draws[8 * n + lane]!, 0);
          own[first + lane] = drawn((n) => correct[n]!) / drawn(() => 1);
        }
    });
    const expected = accuracies.map((values) => {
      const known = values.filter((value) => !Number.isNaN(value)).sort();
      return { low: quantile(known, 0.025), high: quantile(known, 0.975) };
    });
    const close = (value: number) => expect.closeTo(value, 12);
    expect(bootstrapBins([binnedClusters([sample(confidences, correct)], 7)], given)).toEqual([
      expected.map(({ low, high }) => ({ low: close(low), high: close(high) })),
    ]);
  }
});

test('an empty bin has none, nor has one that is all right or all wrong', () => {
  const options = { clusterCount: 3, resamples: 50, seed: 1 };
  expect(bootstrapBins([binnedClusters([sample([0.8, 0.9, 0.7], [1, 1, 1])], 3)], options)).toEqual([[null, null]]);
  expect(bootstrapBins([binnedClusters([sample([0.8, 0.9, 0.7], [0, 0, 0])], 3)], options)).toEqual([[null, null]]);
});

test('an example tied over a border of equal-mass bins counts with its shares', () => {
  const residuals = binResiduals(Float64Array.of(0.5, 0.5, 0.5), [1, 0, 1], { ...binning, binEdges: 'equal-mass' });
  const { counts, rights, starts } = binnedClusters(
    [{ clusters: Int32Array.of(0, 1, 2), correct: [1, 0, 1], residuals }],
    3,
  );
  const sum = (values: Float64Array, b: number) => values.slice(starts[b], starts[b + 1]).reduce((a, x) => a + x, 0);
  expect(sum(counts, 0) + sum(counts, 1)).toBeCloseTo(3, 12);
  for (const b of [0, 1]) expect(sum(rights, b) / sum(counts, b)).toBeCloseTo(2 / 3, 12);
});
