import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { auroc } from '../../src/metrics/auroc.js';
import { binErrors, eceOfBins } from '../../src/metrics/bins/bin-errors.js';
import { binEdge, binIndex, binRule } from '../../src/metrics/bins/binning.js';
import { equalMassBins } from '../../src/metrics/bins/equal-mass-bins.js';
import { rankedConfidences } from '../../src/metrics/bins/ranked-confidences.js';
import { poolBins, reliabilityBins } from '../../src/metrics/bins/reliability-bins.js';
import { ece } from '../../src/metrics/ece.js';
import { evaluateConfidences } from '../../src/metrics/evaluate-confidences.js';
import { smoothEce } from '../../src/metrics/smooth-ece.js';

const adaptiveEce = (ranked: Parameters<typeof equalMassBins>[0], bins = 10) => eceOfBins(equalMassBins(ranked, bins));

describe('bins', () => {
  test('a bin owns its left edge, edges as numpy.linspace: 0.3 shares a bin with 0.25', () => {
    expect(ece([0.3, 0.25], [1, 0])).toBeCloseTo(0.225, 15);
    expect(reliabilityBins([0.3, 0.6, 0.7], [1, 1, 1]).flatMap((bin, b) => (bin.count > 0 ? [b] : []))).toEqual([
      2, 5, 6,
    ]);
    const edges = reliabilityBins([0.5], [1]).map(({ lower }) => lower);
    expect([edges[3], edges[6], edges[7]]).toEqual([0.30000000000000004, 0.6000000000000001, 0.7000000000000001]);
    expect(edges.every((edge) => reliabilityBins([edge], [1]).find(({ count }) => count === 1)!.lower === edge)).toBe(
      true,
    );
  });

  test('every edge, and the numbers beside it, lie where a look at all edges puts them, by either rule', () => {
    const wrong: number[][] = [];
    for (let bins = 1; bins <= 60; bins++) {
      const edges = Float64Array.from({ length: bins + 1 }, (_, b) => binEdge(b, bins));
      const near = [...edges].flatMap((edge) => [edge * (1 - 2 ** -53), edge, edge * (1 + 2 ** -52)]);
      for (const confidence of near.filter((each) => each <= 1)) {
        const left = Math.min(
          edges.findLastIndex((edge) => edge <= confidence),
          bins - 1,
        );
        const right = Math.max(edges.findIndex((edge) => confidence <= edge) - 1, 0);
        const found = [binIndex(confidence, edges, false), binIndex(confidence, edges, true)];
        if (found[0] !== left || found[1] !== right) wrong.push([bins, confidence, ...found, left, right]);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('the rule is said in words for reports', () => {
    expect(binRule({ binEdges: 'equal-width', edgeRule: 'left-owned' })).toMatch(/^equal-width.*owns its left edge/);
    expect(binRule({ binEdges: 'equal-width', edgeRule: 'right-owned' })).toMatch(/^equal-width.*owns its right edge/);
    expect(binRule({ binEdges: 'equal-mass', edgeRule: 'right-owned' })).toMatch(/^equal-mass.*owns its right edge/);
  });

  test('15 and 20 bins follow the same rule of edges', () => {
    const given = { predictions: Int32Array.of(0, 0), confidences: Float64Array.of(0.2, 0.22) };
    const wide = (edgeRule: 'left-owned' | 'right-owned') =>
      evaluateConfidences(given, Int32Array.of(0, 1), Int32Array.of(0, 1), { edgeRule });
    // 0.2 is the edge 3/15 and 4/20: with 0.22 in one bin, or alone in the one before.
    for (const of of ['ece15', 'ece20'] as const) {
      expect(wide('left-owned')?.[of]).toBeCloseTo((0.8 - 0.22) / 2, 12);
      expect(wide('right-owned')?.[of]).toBeCloseTo((0.8 + 0.22) / 2, 12);
    }
  });

  test('an equal-mass bin reaches from its lowest confidence to that of the next', () => {
    const bins = equalMassBins(rankedConfidences([0.9, 0.1, 0.8, 0.2, 0.3, 0.7], [1, 0, 1, 0, 1, 1]), 2);
    expect(bins.map(({ lower, upper, count }) => [lower, upper, count])).toEqual([
      [0, 0.7, 3],
      [0.7, 1, 3],
    ]);
  });

  test('a float32 0.3 is above the edge', () => {
    expect(ece([Math.fround(0.3), 0.25], [1, 0])).toBeCloseTo(0.475, 6);
  });

  test('confidence 0 counts, and the last bin owns 1', () => {
    expect(ece([0, 0.5], [1, 1])).toBe(0.75);
    expect(reliabilityBins([0, 1, 1], [0, 1, 1]).map(({ count }) => count)).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
  });

  test('accuracy meets the mean confidence of the bin, not its middle', () => {
    expect(ece(Array(100).fill(0.99), Array(100).fill(1))).toBeCloseTo(0.01, 14);
  });

  test('an empty bin adds 0 and shows as empty', () => {
    expect(ece([0.95, 0.85, 0.55], [1, 1, 0])).toBeCloseTo(0.25, 15);
    expect(binErrors(reliabilityBins([0.95, 0.85, 0.55], [1, 1, 0])).mce).toBeCloseTo(0.55, 15);
    expect(reliabilityBins([0.95], [1])[0]).toEqual({
      lower: 0,
      upper: 0.1,
      count: 0,
      accuracy: null,
      confidence: null,
      overconfidence: null,
    });
  });

  test('counts add up to N for any confidences and any number of bins', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), fc.integer({ min: 1, max: 40 }), (c, bins) => {
        const made = reliabilityBins(
          c,
          c.map(() => true),
          { bins },
        );
        expect(made.reduce((sum, { count }) => sum + count, 0)).toBe(c.length);
        for (const { lower, upper, confidence } of made) {
          if (confidence !== null) expect(confidence >= lower - 1e-12 && confidence <= upper + 1e-12).toBe(true);
        }
      }),
      { seed: 11, numRuns: 200 },
    );
  });

  test('pooled bins are the bins of the pooled examples', () => {
    const [a, b] = [reliabilityBins([0.2, 0.9], [1, 0]), reliabilityBins([0.95, 0.4, 0.21], [1, 1, 0])];
    const together = reliabilityBins([0.2, 0.9, 0.95, 0.4, 0.21], [1, 0, 1, 1, 0]);
    expect(eceOfBins(poolBins([a, b]))).toBeCloseTo(eceOfBins(together), 14);
    expect(poolBins([])).toEqual([]);
    // The edges stay to the bit: a mean of ten times 0.1 is 0.09999999999999999.
    const edges = (bins: typeof a) => bins.map(({ lower, upper }) => [lower, upper]);
    expect(edges(poolBins(Array.from({ length: 10 }, () => a)))).toEqual(edges(a));
    expect(poolBins([a, b]).map(({ count }) => count)).toEqual(together.map(({ count }) => count));
  });

  test('no examples is an error', () => {
    expect(() => ece([], [])).toThrow(/at least one/);
    expect(() => adaptiveEce(rankedConfidences([], []))).toThrow(/at least one/);
    expect(() => ece([0.5], [1], { bins: 0 })).toThrow(/above 0/);
  });
});

describe('rank metrics', () => {
  test('AUROC counts ties as one half and is null with one class', () => {
    expect(auroc(rankedConfidences([0.9, 0.5, 0.5, 0.1], [1, 1, 0, 0]))).toBe(0.875);
    expect(auroc(rankedConfidences([0.9, 0.5], [1, 1]))).toBeNull();
  });

  test('equal-mass groups hold the same number of examples', () => {
    expect(adaptiveEce(rankedConfidences([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1]), 2)).toBeCloseTo(0.15, 14);
  });

  test('examples of one confidence share their accuracy, in any order', () => {
    const conf = Array(7).fill(0.5);
    expect(adaptiveEce(rankedConfidences(conf, [1, 0, 0, 0, 1, 1, 1]), 3)).toBeCloseTo(4 / 7 - 0.5, 14);
  });

  test('smooth ECE of one shared confidence is the plain gap', () => {
    expect(
      smoothEce(
        rankedConfidences(
          Array(40).fill(0.25),
          Array.from({ length: 40 }, (_, n) => n < 20),
        ),
      ),
    ).toBeCloseTo(0.25, 3);
  });
});
