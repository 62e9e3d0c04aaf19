import { describe, expect, it } from 'vitest';
import { POPULATIONS, thresholdLevel } from '../../../bench/inference/threshold-level.js';
import { estimatedThresholds } from '../../../src/inference/selective/estimated-thresholds.js';
import { guaranteedThresholds } from '../../../src/inference/selective/guaranteed-thresholds.js';
import { MAX_ERRORS } from '../../../src/results/threshold-schema.js';

const falling = (count: number) => Float64Array.from({ length: count }, (_, n) => 1 - (n + 1) / (count + 1));
const rightBut = (count: number, ...wrong: number[]) =>
  Uint8Array.from({ length: count }, (_, n) => (wrong.includes(n) ? 0 : 1));

describe('guaranteedThresholds', () => {
  it('lets all questions through where no answer is wrong and there are enough of them', () => {
    // (1 - 0.05)^(n - 1) <= 0.05 from n = 60 on, when all eight starts have been passed.
    const [shown] = guaranteedThresholds(falling(120), rightBut(120), [0.05]);
    expect(shown).toMatchObject({ answered: 120, errors: 0, coverage: 1, risk: 0, riskLow: 0 });
    expect(guaranteedThresholds(falling(50), rightBut(50), [0.05])).toEqual([null]);
  });

  it('stops above the confidences where answers are wrong', () => {
    const count = 640;
    const correct = Uint8Array.from({ length: count }, (_, n) => (n < 320 || n % 2 === 0 ? 1 : 0));
    const confidences = falling(count);
    const [found] = guaranteedThresholds(confidences, correct, [0.05]);
    expect(found!.answered).toBeGreaterThanOrEqual(320);
    expect(found!.errors / found!.answered).toBeLessThan(0.05);
    expect(found!.threshold).toBe(confidences[found!.answered - 1]);
    expect([found!.riskLow <= found!.risk, found!.risk <= found!.riskHigh]).toEqual([true, true]);
    expect([found!.coverageLow < found!.coverage, found!.coverage < found!.coverageHigh]).toEqual([true, true]);
  });

  it('finds a lower threshold, or the same one, for a higher rate of errors', () => {
    const correct = Uint8Array.from({ length: 2000 }, (_, n) => ((n * 7919) % 2000 < n / 4 ? 0 : 1));
    const found = guaranteedThresholds(falling(2000), correct, MAX_ERRORS).map((each) => each?.threshold ?? 1);
    expect(found).toEqual(found.toSorted((a, b) => b - a));
    expect(new Set(found).size).toBeGreaterThan(2);
  });

  it('answers examples of equal confidence together', () => {
    const confidences = Float64Array.from({ length: 400 }, (_, n) => (n < 200 ? 0.9 : 0.8));
    expect(guaranteedThresholds(confidences, rightBut(400), [0.05])[0]).toMatchObject({
      threshold: 0.8,
      answered: 400,
    });
    const half = Uint8Array.from({ length: 400 }, (_, n) => (n < 200 || n % 3 > 0 ? 1 : 0));
    expect(guaranteedThresholds(confidences, half, [0.05])[0]).toMatchObject({ threshold: 0.9, answered: 200 });
  });

  it('keeps its level in samples: at most 5 in 100 thresholds let more errors through than allowed', () => {
    const samples = 300;
    const bound = 0.05 + 2 * Math.sqrt((0.05 * 0.95) / samples);
    for (const name of ['calibrated', 'ten confidences']) {
      const { broken, coverage } = thresholdLevel(POPULATIONS.find((each) => each.name === name)!, 560, samples);
      expect(Math.max(...broken)).toBeLessThanOrEqual(bound);
      expect(coverage.at(-1)).toBeGreaterThan(0.6);
    }
  });
});

describe('estimatedThresholds', () => {
  it('is the lowest threshold above which the mean doubt is at most the rate asked for', () => {
    const confidences = Float64Array.of(0.5, 0.99, 0.9, 0.97, 0.9);
    const [strict, middle, lax, none] = estimatedThresholds(confidences, [0.0101, 0.0601, 0.15, 0.001]);
    expect([strict!.threshold, strict!.coverage]).toEqual([0.99, 0.2]);
    expect(strict!.risk).toBeCloseTo(0.01, 12);
    // 0.01, 0.03, 0.1 and 0.1 make 0.06 together: both of 0.9 are answered, or none.
    expect([middle!.threshold, middle!.coverage]).toEqual([0.9, 0.8]);
    expect([lax!.threshold, lax!.coverage]).toEqual([0.5, 1]);
    expect(lax!.risk).toBeCloseTo(0.148, 12);
    expect(none).toBe(null);
  });
});
