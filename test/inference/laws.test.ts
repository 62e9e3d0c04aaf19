import { describe, expect, test } from 'vitest';
import { falseDiscoveryAdjusted, holmAdjusted } from '../../src/inference/adjusted-p-values.js';
import { errorLaw } from '../../src/inference/interval/error-law.js';
import { clopperPearson, incompleteBeta, studentP, studentQuantile } from '../../src/inference/law/beta-law.js';
import { betaQuantile } from '../../src/inference/law/beta-quantile.js';
import {
  detectableDifference,
  normalQuantile,
  powerAgainst,
  twoSidedP,
} from '../../src/inference/law/detectable-difference.js';
import { shareBelow, upperQuantile } from '../../src/inference/law/skewed-law.js';
import { overModels } from '../../src/inference/over-models.js';
import { logOdds, logOddsOfConfidence, riskCoverageCurve } from '../../src/inference/selective/risk-coverage-curve.js';
import { signedRank } from '../../src/inference/signed-rank.js';
import { bestTemperature } from '../../src/inference/temperature-regret.js';
import { auroc } from '../../src/metrics/auroc.js';
import { rankedConfidences } from '../../src/metrics/bins/ranked-confidences.js';
import { foldedNormalMean } from '../../src/numeric/folded-normal.js';
import { quantile } from '../../src/numeric/quantile.js';
import { raggedRows } from '../../src/numeric/ragged-rows.js';

describe('laws', () => {
  test('incomplete beta is a binomial tail for whole a and b', () => {
    // P(at least 3 of 10 at 0.3).
    let tail = 0;
    for (const [k, ways] of [1, 10, 45].entries()) tail += ways * 0.3 ** k * 0.7 ** (10 - k);
    expect(incompleteBeta(0.3, 3, 8)).toBeCloseTo(1 - tail, 12);
    expect(incompleteBeta(betaQuantile(0.2, 2.5, 700), 2.5, 700)).toBeCloseTo(0.2, 10);
  });

  test('a beta quantile is that of 60 halvings with every term of the fraction, to the last bit', () => {
    const laws = [
      [1, 1],
      [1, 40],
      [2, 7],
      [33, 190],
      [190, 33],
      [850, 2079],
      [1464, 1465],
      [29_000, 700_000],
    ] as const;
    for (const [a, b] of laws)
      for (const share of [0.05 / 128, 0.025, 0.3, 0.975, 1 - 0.05 / 128]) {
        let [low, high] = [0, 1];
        for (let i = 0; i < 60; i++) {
          const middle = (low + high) / 2;
          if (incompleteBeta(middle, a, b) < share) low = middle;
          else high = middle;
        }
        expect(betaQuantile(share, a, b), `${share} of Beta(${a}, ${b})`).toBe((low + high) / 2);
      }
  });

  test('quantiles of Student, the normal law and Clopper and Pearson are those of tables', () => {
    expect(studentQuantile(0.975, 4)).toBeCloseTo(2.776445, 5);
    expect(studentQuantile(0.975, 30)).toBeCloseTo(2.042272, 5);
    expect(normalQuantile(0.975)).toBeCloseTo(1.959964, 5);
    expect(twoSidedP(1.959964)).toBeCloseTo(0.05, 6);
    expect(clopperPearson(0, 10).high).toBeCloseTo(0.308497, 5);
    expect(clopperPearson(3, 10).low).toBeCloseTo(0.066739, 5);
    expect(clopperPearson(10, 10).high).toBe(1);
  });
});

describe('adjusted p-values', () => {
  test('are those of Holm and of Benjamini and Hochberg, in the order given', () => {
    const p = [0.04, 0.001, 0.03, 0.5];
    const near = (values: number[]) => values.map((value) => Number(value.toFixed(10)));
    expect(near(holmAdjusted(p))).toEqual([0.09, 0.004, 0.09, 0.5]);
    expect(near(falseDiscoveryAdjusted(p))).toEqual([0.0533333333, 0.004, 0.0533333333, 0.5]);
    expect(holmAdjusted([])).toEqual([]);
    expect(p).toEqual([0.04, 0.001, 0.03, 0.5]);
  });
});

describe('the signed-rank test', () => {
  test('counts all signs, ties among the ranks too', () => {
    const differences = [1, 1, -2, 3, 0];
    const ranks = [1.5, 1.5, 3, 4];
    const sums = Array.from({ length: 16 }, (_, signs) =>
      ranks.reduce((sum, rank, i) => sum + ((signs >> i) & 1) * rank, 0),
    );
    const upper = sums.filter((sum) => sum >= 7).length / 16;
    expect(signedRank(differences)).toEqual({ count: 4, statistic: 7, pValue: 2 * upper, leastP: 0.125 });
  });

  test('of seven differences of one sign has its least p', () => {
    const { pValue, leastP } = signedRank([1, 2, 3, 4, 5, 6, 7]);
    expect(pValue).toBe(2 / 128);
    expect(pValue).toBe(leastP);
    expect(signedRank([]).pValue).toBe(1);
    // Last digits of sums are neither signs nor ranks.
    expect(signedRank([0.3, 0.1 + 0.2, -1e-17, 3e-18])).toEqual(signedRank([0.3, 0.3]));
  });
});

describe('inference over models', () => {
  test('counts every base once, and ties inside the region of practical equivalence', () => {
    const found = overModels(
      [
        { base: 'a', difference: 3 },
        { base: 'a', difference: 1 },
        { base: 'b', difference: -1 },
        { base: 'c', difference: 0.4 },
        { base: 'c', difference: 0.5 },
        { base: 'c', difference: -0.5 },
      ],
      0.5,
    );
    expect(found).toMatchObject({ population: 'bases', bases: 3, targets: 6, wins: 1, ties: 3, losses: 2 });
    expect(found.mean).toBeCloseTo((2 - 1 + 0.4 / 3) / 3, 12);
    expect(found.interval?.low).toBeLessThan(-1);
    expect(found.signedRank.count).toBe(3);
  });

  test('draws bases, and has the interval of Student over their means', () => {
    const values = [2, -1, 4, 0.5];
    const found = overModels(
      values.map((difference, b) => ({ base: `b${b}`, difference })),
      0,
    );
    const deviation = Math.sqrt(values.reduce((sum, each) => sum + (each - 1.375) ** 2, 0) / 3);
    // Student's quantile of 0.975 with 3 degrees of freedom, from the table.
    const reach = (3.182446 * deviation) / 2;
    expect(found.interval?.low).toBeCloseTo(1.375 - reach, 5);
    expect(found.interval?.high).toBeCloseTo(1.375 + reach, 5);
    const means = values.flatMap((a) =>
      values.flatMap((b) => values.flatMap((c) => values.map((d) => (a + b + c + d) / 4))),
    );
    const exact = Float64Array.from(means).sort();
    // All 256 draws are alike; 2,000 of them have the tails of all within their own noise.
    expect(Math.abs((found.resampled?.low ?? 9) - quantile(exact, 0.025))).toBeLessThan(0.3);
    expect(Math.abs((found.resampled?.high ?? 9) - quantile(exact, 0.975))).toBeLessThan(0.3);
    const two = overModels(
      [
        { base: 'a', difference: 1 },
        { base: 'b', difference: 3 },
      ],
      0,
    );
    expect(two.resampled).toEqual({ low: 1, high: 3 });
  });

  test('says nothing of other models from one base', () => {
    expect(overModels([{ base: 'a', difference: 3 }], 0.5)).toMatchObject({
      population: 'none',
      interval: null,
      resampled: null,
    });
  });
});

test('power at the detectable difference is the power asked for', () => {
  expect(powerAgainst(detectableDifference(0.7), 0.7)).toBeCloseTo(0.8, 4);
  expect(powerAgainst(detectableDifference(0.7, 0.9, 21), 0.7, 21)).toBeCloseTo(0.9, 4);
  expect(powerAgainst(0, 1)).toBeCloseTo(0.05, 8);
});

test('the p-value of Student is that of its quantile, and of the table', () => {
  for (const freedom of [1, 4, 47, 499])
    expect(studentP(studentQuantile(0.975, freedom), freedom)).toBeCloseTo(0.05, 9);
  expect(studentP(2.776445, 4)).toBeCloseTo(0.05, 6);
  expect(studentP(-1, 1)).toBeCloseTo(0.5, 12);
  expect(studentP(0, 10)).toBe(1);
});

test('the best temperature is that of the least measure, the infinite one and the fitted ones included', () => {
  const bowl = (beta: number) => (beta === 0 ? 9 : (Math.log(beta) - 1) ** 2);
  const found = bestTemperature(bowl, [0.1, 10]);
  expect(found.measure).toBeCloseTo(0, 6);
  expect(found.inverseTemperature).toBeCloseTo(Math.E, 3);
  expect(bestTemperature((beta) => beta, [1])).toEqual({ inverseTemperature: 0, measure: 0 });
  const needle = bestTemperature((beta) => (beta === 0.123 ? -1 : bowl(beta)), [0.123]);
  expect(needle).toEqual({ inverseTemperature: 0.123, measure: -1 });
});

test('the best temperature is looked for to four times beyond the fitted ones and 1, and no farther', () => {
  const bowlAt = (best: number) => (beta: number) => (beta === 0 ? 99 : Math.log(beta / best) ** 2);
  for (const best of [0.03, 1.3, 30]) {
    expect(bestTemperature(bowlAt(best), [0.1, 10]).inverseTemperature / best).toBeCloseTo(1, 4);
  }
  expect(bestTemperature(bowlAt(400), [0.1, 10]).inverseTemperature).toBeLessThan(60);
  expect(bestTemperature(bowlAt(1e-3), [0.1, 10]).inverseTemperature).toBeGreaterThan(0.02);
});

describe('selective prediction', () => {
  test('gives the risk among the surest answers, those of one score together', () => {
    const [half, all] = riskCoverageCurve([4, 3, 3, 1], [1, 0, 1, 0], [0.5, 1]);
    expect(half).toMatchObject({ coverage: 0.75, count: 3, threshold: 3, risk: 1 / 3 });
    expect(all).toMatchObject({ coverage: 1, count: 4, risk: 0.5 });
    // Two points share the miss of 0.05.
    expect(half).toMatchObject(clopperPearson(1, 3, 0.025));
    const third = riskCoverageCurve([9, 8, 7], [1, 1, 0], [0.3, 1 / 3, 0.34]);
    expect(third.map(({ count }) => count)).toEqual([1, 1, 2]);
  });

  test('log odds keep the order of confidences that round to 1', () => {
    const gaps = raggedRows([
      [0, -50],
      [0, -60],
      [-40, 0],
      [0, -0.5, 0],
    ]);
    const odds = logOdds(gaps, 1);
    expect([...odds.subarray(0, 3)]).toEqual([50, 60, 40]);
    expect(odds[3]).toBeCloseTo(logOddsOfConfidence(1 / (2 + Math.exp(-0.5))), 12);
    expect(logOdds(gaps, 0)[3]).toBeCloseTo(-Math.log(2), 12);
    expect(auroc(rankedConfidences(odds, [1, 1, 0, 0]))).toBe(1);
    expect(auroc(rankedConfidences([1, 1, 1, 0.4], [1, 1, 0, 0]))).toBe(0.75);
  });
});

describe('skewed laws', () => {
  test('give the shares of a gamma law to a thousandth, and those of the normal law without skewness', () => {
    // Chi-square of 8 degrees: mean 8, deviation 4, skewness 1; 0.95 of it lies below 15.5073, 0.025 below 2.1797.
    const chiSquare = { mean: 8, deviation: 4, skewness: 1 };
    expect(shareBelow(chiSquare, 15.5073)).toBeCloseTo(0.95, 3);
    expect(Math.abs(shareBelow(chiSquare, 2.1797) - 0.025)).toBeLessThan(0.001);
    expect(upperQuantile(chiSquare, 0.95)).toBeCloseTo(15.507, 1);
    expect(shareBelow({ mean: 1, deviation: 2, skewness: 0 }, 4.92)).toBeCloseTo(0.975, 4);
    expect(shareBelow({ mean: -8, deviation: 4, skewness: -1 }, -15.5073)).toBeCloseTo(0.05, 3);
  });

  test('are those of a measured error: the mean is that of folded normals, splits take variance away', () => {
    const bins = (splits: number, overlap: number) => ({
      total: 300,
      counts: Float64Array.of(100, 200),
      confidences: Float64Array.of(0.5, 0.5),
      gaps: Float64Array.of(0.1, -0.1),
      splits,
      overlap,
    });
    const gaps = Float64Array.of(0.02, 0.1);
    const [one, five] = [errorLaw(bins(1, 1), gaps, 1), errorLaw(bins(5, 0.7), gaps, 1)];
    const folded = (gap: number, count: number, accuracy: number) =>
      foldedNormalMean(gap, Math.sqrt((accuracy * (1 - accuracy)) / count));
    const mean = folded(0.02, 100, 0.48) / 3 + (2 * folded(0.1, 200, 0.6)) / 3;
    expect(Math.abs(one.moments.mean - mean)).toBeLessThan(1e-4);
    expect(Math.abs(five.moments.mean - mean)).toBeLessThan(1e-4);
    const ratio = five.moments.deviation / one.moments.deviation;
    expect(ratio).toBeGreaterThan(Math.sqrt((1 + 4 * 0.49) / 5));
    expect(ratio).toBeLessThan(Math.sqrt((1 + 4 * 0.7) / 5) + 0.01);
  });
});
