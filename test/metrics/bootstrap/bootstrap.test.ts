import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_BINNING } from '../../../src/metrics/bins/binning.js';
import { binResiduals } from '../../../src/metrics/bootstrap/bin-residuals.js';
import { type BootstrapSample, bootstrapEce } from '../../../src/metrics/bootstrap/bootstrap-ece.js';
import { bootstrapInterval, pairedDifference } from '../../../src/metrics/bootstrap/bootstrap-interval.js';
import { ece } from '../../../src/metrics/ece.js';
import { drawCounts } from '../../../src/numeric/random/draw-counts.js';
import { seededGenerator } from '../../../src/numeric/random/seeded-generator.js';

/** Confidences of `count` examples, `over` too high. */
function draw(count: number, over: number, seed: number) {
  const generator = seededGenerator(seed);
  const uniform = () => (generator.next() >>> 0) / 2 ** 32;
  const confidences = Float64Array.from({ length: count }, () => 0.3 + 0.7 * uniform());
  const correct = Uint8Array.from(confidences, (confidence) => Number(uniform() < confidence - over));
  return { confidences, correct };
}

function sampleOf({ confidences, correct }: ReturnType<typeof draw>, clusters?: Int32Array): BootstrapSample {
  return {
    clusters: clusters ?? Int32Array.from(confidences.keys()),
    residuals: binResiduals(confidences, correct, DEFAULT_BINNING),
  };
}

const spread = (values: Float64Array) => {
  const mean = values.reduce((a, b) => a + b) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
};

describe('resamples', () => {
  test('each one is the ECE of the examples repeated as often as they were drawn', () => {
    const data = draw(50, 0.1, 3);
    const got = bootstrapEce([[sampleOf(data)]], { clusterCount: 50, resamples: 20, seed: 4 })[0]!;
    const generator = seededGenerator(4);
    for (const value of got) {
      const counts = new Float64Array(50);
      drawCounts(generator, 50, counts);
      const repeated = (values: ArrayLike<number>) =>
        Array.from(counts).flatMap((count, n) => Array.from({ length: count }, () => values[n]!));
      expect(value).toBeCloseTo(ece(repeated(data.confidences), repeated(data.correct)), 12);
    }
  });

  test('the same seed gives the same bits, another seed others; fewer resamples are the beginning of more', () => {
    const samples = [[sampleOf(draw(80, 0.1, 1))]];
    const at = (seed: number, resamples: number) => bootstrapEce(samples, { clusterCount: 80, resamples, seed })[0]!;
    expect(at(1, 21)).toEqual(at(1, 21));
    expect(at(1, 21)).not.toEqual(at(2, 21));
    expect(at(1, 16).subarray(0, 5)).toEqual(at(1, 21).subarray(0, 5));
  });

  test('an example that stands in the splits of all seeds counts equally in each: no spread is averaged away', () => {
    const sample = sampleOf(draw(300, 0.2, 5));
    const one = bootstrapEce([[sample]], { clusterCount: 300, resamples: 200, seed: 1 })[0]!;
    const five = bootstrapEce([[sample, sample, sample, sample, sample]], {
      clusterCount: 300,
      resamples: 200,
      seed: 1,
    })[0]!;
    expect(spread(five)).toBeCloseTo(spread(one), 12);
  });

  test('copies of one example are drawn together: 100 examples twice have the spread of 100, not of 200', () => {
    const half = draw(100, 0.2, 8);
    const twice = {
      confidences: Float64Array.from([...half.confidences, ...half.confidences]),
      correct: Uint8Array.from([...half.correct, ...half.correct]),
    };
    const clusters = Int32Array.from({ length: 200 }, (_, n) => n % 100);
    const options = { clusterCount: 100, resamples: 200, seed: 1 };
    const [together] = bootstrapEce([[sampleOf(twice, clusters)]], options);
    const [once] = bootstrapEce([[sampleOf(half)]], options);
    expect(Math.max(...together!.map((value, i) => Math.abs(value - once![i]!)))).toBeLessThan(1e-12);
  });

  test('a draw that leaves nothing to measure is NaN and counts nowhere', () => {
    const sample = sampleOf(draw(1, 0, 2));
    const resampled = bootstrapEce([[sample]], { clusterCount: 3, resamples: 64, seed: 1 })[0]!;
    expect(resampled.some(Number.isNaN)).toBe(true);
    const { low, high } = bootstrapInterval(resampled, 0.25)!;
    expect(low).toBeCloseTo(0.25, 12);
    expect(high).toBeCloseTo(0.25, 12);
    expect(bootstrapInterval(Float64Array.of(Number.NaN), 0.25)).toBeNull();
  });
});

describe('intervals and p-values', () => {
  test('an interval holds the measured ECE even where every resample lies above it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 500 }), fc.constantFrom(0, 0.05, 0.3), (seed, over) => {
        const data = draw(120, over, seed);
        const measured = ece(data.confidences, data.correct);
        const resampled = bootstrapEce([[sampleOf(data)]], { clusterCount: 120, resamples: 100, seed: 1 })[0]!;
        const { low, high } = bootstrapInterval(resampled, measured)!;
        expect(low <= measured && measured <= high && low >= 0 && high <= 1).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  test('a method compared with itself differs by 0 with p = 1, also by the rounding of another fit', () => {
    const values = bootstrapEce([[sampleOf(draw(60, 0.1, 1))]], { clusterCount: 60, resamples: 99, seed: 1 })[0]!;
    expect(pairedDifference(values, values, 0)).toEqual({ low: 0, high: 0, pValue: 1 });
    const nearly = values.map((value) => value + 1e-13);
    expect(pairedDifference(nearly, values, 1e-13)!.pValue).toBe(1);
  });

  test('swapping the methods mirrors the interval and keeps the p-value', () => {
    const samples = [[sampleOf(draw(200, 0.1, 1))], [sampleOf(draw(200, 0.15, 2))]];
    const [a, b] = bootstrapEce(samples, { clusterCount: 200, resamples: 199, seed: 1 });
    const [there, back] = [pairedDifference(a!, b!, -0.02)!, pairedDifference(b!, a!, 0.02)!];
    expect(back.low).toBeCloseTo(-there.high, 12);
    expect(back.high).toBeCloseTo(-there.low, 12);
    expect(back.pValue).toBe(there.pValue);
  });

  test('p is below 0.05 exactly where the interval leaves out 0, up to one resample', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), (seed) => {
        const [good, bad] = [draw(150, 0, seed), draw(150, 0.08, seed)];
        const [a, b] = bootstrapEce([[sampleOf(good)], [sampleOf(bad)]], {
          clusterCount: 150,
          resamples: 199,
          seed: 1,
        });
        const measured = ece(good.confidences, good.correct) - ece(bad.confidences, bad.correct);
        const { low, high, pValue } = pairedDifference(a!, b!, measured)!;
        if (pValue < 0.04) expect(low > 0 || high < 0).toBe(true);
        if (pValue > 0.07) expect(low <= 0 && high >= 0).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  test('two methods of equal quality are called different at the 5 % level about as often as that says', () => {
    let found = 0;
    for (let seed = 0; seed < 200; seed++) {
      const [x, y] = [draw(200, 0.1, 2 * seed + 1), draw(200, 0.1, 2 * seed + 2)];
      // Two independent samples of one law: same examples, other noise.
      const [a, b] = bootstrapEce([[sampleOf(x)], [sampleOf(y)]], { clusterCount: 200, resamples: 99, seed: 1 });
      const measured = ece(x.confidences, x.correct) - ece(y.confidences, y.correct);
      if (pairedDifference(a!, b!, measured)!.pValue <= 0.05) found++;
    }
    expect(found).toBeLessThanOrEqual(24);
  });
});
