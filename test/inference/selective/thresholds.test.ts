import { describe, expect, it } from 'vitest';
import { POPULATIONS, thresholdLevel } from '../../../bench/inference/threshold-level.js';
import { uniformDraw } from '../../../src/inference/law/normal-draws.js';
import { estimatedThresholds } from '../../../src/inference/selective/estimated-thresholds.js';
import { guaranteedThresholds } from '../../../src/inference/selective/guaranteed-thresholds.js';
import { seededGenerator } from '../../../src/numeric/random/seeded-generator.js';
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

  it('takes the example that sets the threshold out of the trials', () => {
    // One confidence, so one step with all of the level: 0.95^58 is above 0.05, 0.95^59 below it.
    const shown = [59, 60].map((count) =>
      guaranteedThresholds(new Float64Array(count).fill(0.7), rightBut(count), [0.05]),
    );
    expect(shown).toEqual([[null], [expect.objectContaining({ threshold: 0.7, answered: 60 })]]);
  });

  it('is the walk over the surest 1/64, 2/64, ... with sums of binomial terms for its tails', () => {
    const generator = seededGenerator(5);
    for (const [count, values] of [
      [64, 1000],
      [150, 1000],
      [150, 20],
      [900, 1000],
      [900, 40],
    ] as const) {
      const confidences = Float64Array.from(
        { length: count },
        () => 0.4 + (0.6 * Math.floor(values * uniformDraw(generator))) / values,
      );
      const correct = Uint8Array.from(confidences, (confidence) =>
        Number(uniformDraw(generator) < 1 - 2 * (1 - confidence) ** 2),
      );
      for (const maxError of [0.02, 0.05, 0.1, 0.2, 0.4]) {
        const [found = null] = guaranteedThresholds(confidences, correct, [maxError], 0.05);
        expect(found?.threshold ?? null).toBe(walkedThreshold(confidences, correct, maxError, 0.05));
        if (found === null) continue;
        const answered = correct.filter((_, n) => confidences[n]! >= found.threshold);
        const errors = answered.filter((right) => right === 0).length;
        expect([found.answered, found.errors]).toEqual([answered.length, errors]);
        // The share of the population above the k-th largest of N draws: below x where at least k of N lie above it.
        expect(atMost(answered.length - 1, count, found.coverageLow)).toBeCloseTo(0.975, 6);
        expect(atMost(answered.length - 1, count, found.coverageHigh)).toBeCloseTo(0.025, 6);
        expect(atMost(errors, answered.length, found.riskHigh)).toBeCloseTo(0.05 / 128, 6);
        if (errors > 0) expect(atMost(errors - 1, answered.length, found.riskLow)).toBeCloseTo(1 - 0.05 / 128, 6);
      }
    }
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

/** P(at most `hits` of `count` | share), term by term. */
function atMost(hits: number, count: number, share: number): number {
  let [log, sum] = [count * Math.log1p(-share), 0];
  for (let k = 0; k <= hits; k++) {
    sum += Math.exp(log);
    log += Math.log((count - k) / (k + 1)) + Math.log(share) - Math.log1p(-share);
  }
  return sum;
}

/** The fallback walk as its description has it, over sorted rows. */
function walkedThreshold(confidences: Float64Array, correct: Uint8Array, maxError: number, miss: number) {
  const order = [...confidences.keys()].sort((a, b) => confidences[b]! - confidences[a]!);
  let [found, level, reached]: [number | null, number, number] = [null, 0, 0];
  for (const [i, n] of order.entries()) {
    if (confidences[order[i + 1] ?? -1] === confidences[n]) continue;
    const number = Math.floor((64 * (i + 1)) / order.length);
    if (number <= reached) continue;
    const passed = [1, 2, 4, 8, 16, 32, 48, 64].filter((start) => start > reached && start <= number).length;
    level += (passed * miss) / 8;
    reached = number;
    const errors = order.slice(0, i + 1).filter((each) => correct[each] === 0).length;
    if (level > 0 && errors < i && atMost(errors, i, maxError) <= level) found = confidences[n]!;
    else level = 0;
  }
  return found;
}

describe('estimatedThresholds', () => {
  it('is the lowest threshold above which the mean doubt is at most the rate asked for', () => {
    const confidences = Float64Array.of(0.5, 0.99, 0.9, 0.97, 0.9);
    const [strict, middle, lax, none] = estimatedThresholds(confidences, [0.0101, 0.0601, 0.15, 0.001]);
    expect([strict!.threshold, strict!.coverage]).toEqual([0.99, 0.2]);
    expect(strict!.risk).toBeCloseTo(0.01, 12);
    // 0.01, 0.03, 0.1 and 0.1 make 0.06 together: both of 0.9 are answered, or none.
    expect([middle!.threshold, middle!.coverage]).toEqual([0.9, 0.8]);
    // The first of them alone would have a risk of 0.047.
    expect(estimatedThresholds(confidences, [0.05])[0]).toMatchObject({ threshold: 0.97, coverage: 0.4 });
    expect([lax!.threshold, lax!.coverage]).toEqual([0.5, 1]);
    expect(lax!.risk).toBeCloseTo(0.148, 12);
    expect(none).toBe(null);
  });
});
