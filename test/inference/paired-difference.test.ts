import { describe, expect, test } from 'vitest';
import { trials } from '../../bench/inference/paired-trials.js';
import { type MethodLaw, world } from '../../bench/inference/world.js';
import { bestMethods } from '../../src/inference/best-methods.js';
import { normalDraws } from '../../src/inference/law/normal-draws.js';
import type { NestedResamples } from '../../src/inference/nested-bootstrap.js';
import { pairedDifference, pairedError, signedError } from '../../src/inference/paired-difference.js';
import { seededGenerator } from '../../src/numeric/random/seeded-generator.js';

/** Resamples of a signed error around a value. */
function resamples(value: number, deviation: number, seed: number): NestedResamples {
  const draws = normalDraws(seededGenerator(seed), 4000).map((z) => value + deviation * z);
  return {
    level: value,
    eces: draws,
    signed: value,
    signs: new Float64Array(0),
    signedMeans: draws,
    overconfidence: value,
    overconfidences: draws,
    generalFits: 0,
  };
}

describe('a paired difference', () => {
  test('of a method and itself is 0 with p = 1', () => {
    const one = resamples(0.05, 0.01, 1);
    expect(pairedDifference(one, one, [0.05, 0.05])).toMatchObject({ difference: 0, pValue: 1 });
  });

  test('of independent methods has the errors of both, and p is two-sided', () => {
    const [a, b] = [resamples(0.05, 0.03, 1), resamples(0.05, 0.04, 2)];
    const { standardError, low, high, pValue } = pairedDifference(a, b, [0.15, 0.05]);
    expect(standardError).toBeCloseTo(0.05, 2);
    expect((low + high) / 2).toBeCloseTo(0.1, 12);
    expect(pValue).toBeCloseTo(0.0455, 2);
  });

  test('leaves out resamples in which a method has no value', () => {
    const [a, b] = [resamples(0.05, 0.03, 1), resamples(0.05, 0.04, 2)];
    a.signedMeans[0] = Number.NaN;
    expect(Number.isFinite(pairedDifference(a, b, [0.06, 0.05]).pValue)).toBe(true);
  });

  test('is found significant in few data sets when one method is over- and the other as much under-confident', () => {
    const law = (sign: 'over' | 'under'): MethodLaw => ({ noise: 0, teacherNoise: 1, target: 0.05, sign });
    let rejected = 0;
    for (const { signed, boot } of trials(world([law('over'), law('under')], 4000), 429, [60, 40])) {
      const [a, b] = boot;
      if (a === undefined || b === undefined) throw new Error('two methods');
      if (pairedDifference(a, b, [signed[0] ?? 0, signed[1] ?? 0]).pValue <= 0.05) rejected++;
    }
    // 0.05 and three standard errors of 60 trials.
    expect(rejected / 60).toBeLessThan(0.05 + 0.085);
  });
});

test('the standard error is the mean of two variances, with the sign of each bin and with one sign for all', () => {
  const of = (signedMeans: number[], overconfidences: number[], overconfidence: number): NestedResamples => ({
    ...resamples(0, 0, 1),
    signedMeans: Float64Array.from(signedMeans),
    overconfidences: Float64Array.from(overconfidences),
    overconfidence,
  });
  const a = of([1, 4, 2, Number.NaN], [3, 1, 5, 2], 0.1);
  const b = of([0, 1, 3, 7], [2, 2, 0, 4], -0.1);
  // Differences 1, 3, -1 have the variance 4; 3 + 2, 1 + 2, 5 + 0 and 2 + 4, since b is under-confident, 19 / 12.
  expect(pairedError(a, b)).toBeCloseTo(Math.sqrt((4 + 19 / 12) / 2), 12);
  expect(pairedError(a, a)).toBe(1e-9);
  expect(pairedDifference(a, b, [0.3, 0.3 + 1e-10]).pValue).toBe(1);
  // Four resamples have three degrees of freedom: 3.182446 errors away p is 0.05.
  const { low, high, pValue } = pairedDifference(a, b, [3.182446 * pairedError(a, b), 0]);
  expect([low, high / 2]).toEqual([expect.closeTo(0, 5), expect.closeTo(3.182446 * pairedError(a, b), 5)]);
  expect(pValue).toBeCloseTo(0.05, 6);
});

test('the signed error is the mean of sign x (confidence - right)', () => {
  expect(signedError([1, -1], [0.9, 0.2], [1, 1])).toBeCloseTo((-0.1 + 0.8) / 2, 12);
});

describe('the set of best methods', () => {
  const errors = [0.05, 0.052, 0.2];
  const methods = errors.map((error, i) => resamples(error, 0.01, i + 1));

  test('has all methods that cannot be told from the best, and not the others', () => {
    const { set, excludesSome, pValues } = bestMethods(methods, errors);
    expect(set).toEqual([true, true, false]);
    expect(excludesSome).toBe(true);
    expect(pValues[0]).toBe(1);
    // No resample is as far: the sample itself is one of 4,001, so that no p is 0.
    expect(pValues[2]).toBe(1 / 4001);
  });

  test('compares each with the best of the others, in units of their own errors', () => {
    const few = [1, 2, 3].map((seed) => ({ ...resamples(0, 0.01 * seed, seed), signedMeans: new Float64Array(40) }));
    for (const [i, each] of few.entries())
      each.signedMeans.set(normalDraws(seededGenerator(i + 9), 40).map((z) => z / 50));
    const means = few.map(({ signedMeans }) => signedMeans.reduce((sum, value) => sum + value, 0) / 40);
    const measured = [0.03, 0.01, 0.02];
    const expected = few.map((own, i) => {
      const others = [0, 1, 2].filter((j) => j !== i);
      const farthest = (of: (j: number) => number) => Math.max(...others.map((j) => of(j) / pairedError(own, few[j]!)));
      const found = farthest((j) => measured[i]! - measured[j]!);
      const drawn = (m: number, r: number) => few[m]!.signedMeans[r]! - means[m]!;
      const beyond = Array.from({ length: 40 }, (_, r) => farthest((j) => drawn(i, r) - drawn(j, r)) >= found);
      return found <= 0 ? 1 : (1 + beyond.filter(Boolean).length) / 41;
    });
    expect(bestMethods(few, measured).pValues).toEqual(expected.map((p) => expect.closeTo(p, 12)));
    expect(expected[1]).toBe(1);
    expect(expected[0]).toBeLessThan(1);
  });

  test('says so when nothing can be told apart, and of one method alone', () => {
    expect(bestMethods(methods.slice(0, 2), errors.slice(0, 2)).excludesSome).toBe(false);
    expect(bestMethods(methods.slice(0, 1), errors.slice(0, 1))).toMatchObject({ set: [true], excludesSome: false });
  });
});
