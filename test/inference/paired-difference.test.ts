import { describe, expect, test } from 'vitest';
import { trials } from '../../bench/inference/paired-trials.js';
import { type MethodLaw, world } from '../../bench/inference/world.js';
import { bestMethods } from '../../src/inference/best-methods.js';
import { studentP } from '../../src/inference/law/beta-law.js';
import { normalDraws } from '../../src/inference/law/normal-draws.js';
import { unionPValue } from '../../src/inference/law/union-p-value.js';
import { pairedDifference } from '../../src/inference/paired-difference.js';
import { lesserReading, pairedReadings } from '../../src/inference/paired-readings.js';
import { type SignedErrors, signedErrors, splitErrors } from '../../src/inference/signed-errors.js';
import { seededGenerator } from '../../src/numeric/random/seeded-generator.js';

/** A method whose bins have one sign, and resamples of its error. */
function errors(value: number, deviation: number, seed: number): SignedErrors {
  const draws = normalDraws(seededGenerator(seed), 4000).map((z) => value + deviation * z);
  return { binwise: value, binwiseDraws: draws, overall: value, overallDraws: draws };
}

/** A method of given resamples; by bin the same but for what is named. */
function drawn(
  overall: number,
  overallDraws: Iterable<number>,
  binwise = overall,
  binwiseDraws = overallDraws,
): SignedErrors {
  return {
    binwise,
    binwiseDraws: Float64Array.from(binwiseDraws),
    overall,
    overallDraws: Float64Array.from(overallDraws),
  };
}

describe('a paired difference', () => {
  test('of a method and itself is 0 with p = 1', () => {
    const one = errors(0.05, 0.01, 1);
    expect(pairedDifference(one, one)).toMatchObject({ difference: 0, pValue: 1 });
  });

  test('of independent methods has the errors of both, and p is two-sided', () => {
    const [a, b] = [errors(0.35, 0.03, 1), errors(0.25, 0.04, 2)];
    const { standardError, low, high, pValue } = pairedDifference(a, b);
    expect(standardError).toBeCloseTo(0.05, 2);
    expect((low + high) / 2).toBeCloseTo(0.1, 12);
    expect(pValue).toBeCloseTo(0.0455, 2);
  });

  test('is the same with the methods exchanged, with the other sign', () => {
    const [a, b] = [errors(0.06, 0.03, 1), errors(0.02, 0.04, 2)];
    const [one, other] = [pairedDifference(a, b), pairedDifference(b, a)];
    expect([-other.difference, -other.high, -other.low]).toEqual([one.difference, one.low, one.high]);
    expect(other.pValue).toBeCloseTo(one.pValue, 12);
  });

  test('is the surer the larger it is, where the signs of both errors are clear', () => {
    const pValues = [0.301, 0.31, 0.33, 0.36, 0.4].map(
      (value) => pairedDifference(errors(value, 0.03, 1), errors(0.3, 0.03, 2)).pValue,
    );
    expect(pValues).toEqual(pValues.toSorted((x, y) => y - x));
    expect(pValues[0]).toBeGreaterThan(0.9);
    expect(pValues[4]).toBeLessThan(0.05);
  });

  test('is not sure where the signs could be opposite and the sizes the same, however sure x - y is', () => {
    // Noise of the accuracy is common: x - y is known to 0.001, x + y to 0.1. 0.03 and 0.01 could be 0.01 and -0.01.
    const noise = normalDraws(seededGenerator(3), 500);
    const small = normalDraws(seededGenerator(4), 500);
    const a = drawn(0.03, [...noise.map((z, r) => 0.03 + 0.05 * z + 0.001 * (small[r] ?? 0))]);
    const b = drawn(0.01, [...noise.map((z) => 0.01 + 0.05 * z)]);
    const { difference, standardError, low, high, pValue } = pairedDifference(a, b);
    expect(difference / standardError).toBeGreaterThan(15);
    expect(pValue).toBeGreaterThan(0.5);
    // x - y is 0.02; with the other sign of one it is x + y, 0.04 with an error of 0.1.
    expect(low).toBeLessThan(-0.1);
    expect(high).toBeGreaterThan(0.2);
  });

  test('leaves out resamples in which a method has no value', () => {
    const [a, b] = [errors(0.05, 0.03, 1), errors(0.05, 0.04, 2)];
    a.overallDraws[0] = Number.NaN;
    const { standardError, pValue } = pairedDifference({ ...a, overall: 0.06 }, b);
    expect(standardError).toBeCloseTo(0.05, 2);
    expect(Number.isFinite(pValue)).toBe(true);
  });

  test('is found significant in few data sets when one method is over- and the other as much under-confident', () => {
    const law = (sign: 'over' | 'under'): MethodLaw => ({ noise: 0, teacherNoise: 1, target: 0.02, sign });
    let rejected = 0;
    for (const { signed } of trials(world([law('over'), law('under')], 4000), 429, [60, 40])) {
      const [a, b] = signed;
      if (a === undefined || b === undefined) throw new Error('two methods');
      if (pairedDifference(a, b).pValue <= 0.05) rejected++;
    }
    // 0.05 and three standard errors of 60 trials.
    expect(rejected / 60).toBeLessThan(0.05 + 0.085);
  });
});

describe('the readings of two errors', () => {
  test('have the errors of difference and sum, in a small case', () => {
    const [a, b] = [drawn(0.4, [3, 1, 5, 2]), drawn(0.1, [2, 2, 0, Number.NaN])];
    const [readings, ...others] = pairedReadings(a, b);
    const { difference, sum, correlation, clearness } = readings;
    expect(others).toEqual([]);
    // Differences 1, -1, 5 and sums 5, 3, 5 have variances of 28 / 3 and 4 / 3 and a covariance of 8 / 3.
    expect([difference.value, sum.value]).toEqual([expect.closeTo(0.3, 12), expect.closeTo(0.5, 12)]);
    expect(difference.error).toBeCloseTo(Math.sqrt(28 / 3), 12);
    expect(sum.error).toBeCloseTo(Math.sqrt(4 / 3), 12);
    expect(correlation).toBeCloseTo(8 / 3 / Math.sqrt((28 / 3) * (4 / 3)), 12);
    // The less clear sign is that of b, 0.1 with a variance of 4 / 3. The difference is nearer to 0 than the sum.
    expect(clearness).toBeCloseTo(0.1 / Math.sqrt(4 / 3), 12);
    expect(lesserReading([readings])).toBe(difference);
    expect(lesserReading([{ ...readings, difference: { ...difference, error: 0.1 } }])).toBe(sum);
    const [p, q] = [studentP(0.3 / difference.error, 3), studentP(0.5 / sum.error, 3)];
    expect(pairedDifference(a, b).pValue).toBeCloseTo(unionPValue(p, q, correlation), 12);
  });

  describe('where the bins of a method have gaps of both signs', () => {
    const noise = [1, -1, 1, -1, 1, -1].map((z) => 0.01 * z);
    // binwise - overall has the deviation 0.01 sqrt(6 / 5) around its value.
    const changing = (errorsOff: number) =>
      drawn(0.02, [0, 0, 0, 0, 0, 0], 0.02 + errorsOff * 0.01 * Math.sqrt(6 / 5), noise);
    const plain = drawn(0.01, noise.toSorted());
    const valuesAt = (errorsOff: number) =>
      pairedReadings(changing(errorsOff), plain).map(({ difference }) => difference.value);

    test('take one sign for all bins within their noise, a sign for each where they are clear, and both between', () => {
      const binwiseAt = (errorsOff: number) => 0.02 + errorsOff * 0.01 * Math.sqrt(6 / 5) - 0.01;
      expect(valuesAt(1.4)).toEqual([expect.closeTo(0.01, 12)]);
      expect(valuesAt(2)).toEqual([0.01, binwiseAt(2)].map((value) => expect.closeTo(value, 12)));
      expect(valuesAt(3.1)).toEqual([expect.closeTo(binwiseAt(3.1), 12)]);
      // The choice is the same whichever method has such bins.
      expect(pairedReadings(plain, changing(2))).toHaveLength(2);
    });

    test('have the larger p of both, and an interval over both', () => {
      const [a, b] = [changing(2), plain];
      const [one, each] = [drawn(0.02, [0, 0, 0, 0, 0, 0]), drawn(a.binwise, noise)].map((x) => pairedDifference(x, b));
      const both = pairedDifference(a, b);
      expect(both.pValue).toBe(Math.max(one!.pValue, each!.pValue));
      expect(both.low).toBe(Math.min(one!.low, each!.low));
      expect(both.high).toBe(Math.max(one!.high, each!.high));
      // Larger with one sign, less with a sign for each bin: nothing is told.
      expect(pairedDifference(a, drawn(0.03, plain.overallDraws)).pValue).toBe(1);
    });
  });
});

describe('p of a union of two hypotheses', () => {
  test('is the larger of two that differ, less where they are alike, and never 0', () => {
    expect(unionPValue(0.001, 0.04)).toBe(0.04);
    expect(unionPValue(0.9, 0.001)).toBe(0.9);
    expect(unionPValue(0.3, 0.28)).toBeCloseTo(0.04, 12);
    expect(unionPValue(0.28, 0.3)).toBe(unionPValue(0.3, 0.28));
    expect(unionPValue(0, 0)).toBeGreaterThan(0);
    expect(unionPValue(1, 1)).toBeLessThanOrEqual(1);
    // Statistics that say the same are one test.
    expect(unionPValue(0.3, 0.3, 1)).toBe(0.3);
    expect(unionPValue(0.3, 0.28, -0.5)).toBeCloseTo(0.08, 12);
  });

  test('is at most 0.05 with a chance of 0.045 to 0.052 wherever one of the means is 0', () => {
    // p of a normal statistic of mean 0 is uniform; that of mean t has the weight cosh(t z) exp(-t^2 / 2) on it.
    const steps = 1000;
    const grid = Float64Array.from({ length: steps }, (_, i) => (i + 0.5) / steps);
    const rejected = grid.map((p) => grid.reduce((count, q) => count + (unionPValue(p, q) <= 0.05 ? 1 : 0), 0) / steps);
    const z = grid.map((p) => halfNormal(p));
    for (const mean of [0, 0.5, 1, 1.5, 2, 2.5, 3]) {
      const weights = z.map((value) => Math.cosh(mean * value));
      const size = weights.reduce((sum, weight, i) => sum + weight * (rejected[i] ?? 0), 0);
      const chance = size / weights.reduce((sum, weight) => sum + weight, 0);
      expect(chance).toBeGreaterThan(0.045);
      expect(chance).toBeLessThan(0.052);
    }
  });
});

/** The size of a normal statistic whose two-sided p is given. */
function halfNormal(p: number): number {
  let [low, high] = [0, 9];
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (studentP(middle, 1e6) > p) low = middle;
    else high = middle;
  }
  return low;
}

test('the signed errors are means of sign x (confidence - right), overall with the sign that is measured', () => {
  const split = splitErrors([1, -1], [0.9, 0.2], [1, 1]);
  expect(split).toEqual({ binwise: expect.closeTo((-0.1 + 0.8) / 2, 12), overall: expect.closeTo(-0.9 / 2, 12) });
  const [signedMeans, overconfidences] = [Float64Array.of(0.3, 0.4), Float64Array.of(-0.5, 0.1)];
  const found = signedErrors({ signedMeans, overconfidences }, [split, { binwise: 0.05, overall: 0.05 }]);
  expect(found.binwise).toBeCloseTo(0.2, 12);
  expect(found.overall).toBeCloseTo(0.2, 12);
  expect([...found.binwiseDraws, ...found.overallDraws]).toEqual([0.3, 0.4, 0.5, -0.1]);
});

describe('the set of best methods', () => {
  const values = [0.25, 0.252, 0.4];
  const methods = values.map((value, i) => errors(value, 0.01, i + 1));

  test('has all methods that cannot be told from the best, and not the others', () => {
    const { set, excludesSome, pValues } = bestMethods(methods);
    expect(set).toEqual([true, true, false]);
    expect(excludesSome).toBe(true);
    expect(pValues[0]).toBe(1);
    // No resample is as far: the sample itself is one of 4,001, so that no p is 0.
    expect(pValues[2]).toBe(1 / 4001);
  });

  test('compares each with the best of the others, in units of their own errors', () => {
    const few = [0.33, 0.31, 0.32].map((value, i) => {
      const draws = normalDraws(seededGenerator(i + 9), 40).map((z) => value + z / 50);
      return drawn(value, [...draws]);
    });
    const expected = few.map((own, i) => {
      const others = few.filter((_, j) => j !== i).map((other) => pairedReadings(own, other)[0].difference);
      const found = Math.max(...others.map(({ value, error }) => value / error));
      const means = others.map(({ draws }) => draws.reduce((sum, value) => sum + value, 0) / 40);
      const beyond = Array.from({ length: 40 }, (_, r) =>
        Math.max(...others.map(({ draws, error }, j) => (draws[r]! - means[j]!) / error)),
      ).filter((most) => most >= found);
      return found <= 0 ? 1 : (1 + beyond.length) / 41;
    });
    expect(bestMethods(few).pValues).toEqual(expected.map((p) => expect.closeTo(p, 12)));
    expect(expected[1]).toBe(1);
    expect(expected[0]).toBeLessThan(1);
  });

  test('keeps a method that is worse only if the sign of its error is the one that was found', () => {
    const noise = normalDraws(seededGenerator(5), 200);
    const [good, bad] = [0.01, 0.03].map((value) => drawn(value, [...noise.map((z) => value + 0.05 * z)]));
    expect(bestMethods([good!, bad!]).set).toEqual([true, true]);
  });

  test('says so when nothing can be told apart, and of one method alone', () => {
    expect(bestMethods(methods.slice(0, 2)).excludesSome).toBe(false);
    expect(bestMethods(methods.slice(0, 1))).toMatchObject({ set: [true], excludesSome: false });
  });
});
