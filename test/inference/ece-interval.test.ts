import { describe, expect, test } from 'vitest';
import { coverage } from '../../bench/inference/coverage.js';
import { population, sample } from '../../bench/inference/population.js';
import { binGaps } from '../../src/inference/interval/bin-gaps.js';
import { calibratedReference } from '../../src/inference/interval/calibrated-reference.js';
import { eceInterval } from '../../src/inference/interval/ece-interval.js';
import { largestGapInterval } from '../../src/inference/interval/largest-gap-interval.js';
import { cellShares, smoothError, smoothInterval } from '../../src/inference/interval/smooth-interval.js';
import { uniformDraw } from '../../src/inference/law/normal-draws.js';
import { rankedConfidences } from '../../src/metrics/bins/ranked-confidences.js';
import { reliabilityBins } from '../../src/metrics/bins/reliability-bins.js';
import { ece } from '../../src/metrics/ece.js';
import { smoothEce } from '../../src/metrics/smooth-ece.js';
import { seededGenerator } from '../../src/numeric/random/seeded-generator.js';

const SAMPLES = 150;

describe('intervals of ECE', () => {
  test.each([
    [2, 'over', 0, 1],
    [4, 'over', 0.05, 1],
    [4, 'changing', 0.15, 1],
    [4, 'over', 0.05, 2],
  ] as const)(
    'hold the true error of %d options, gaps %s of %d, power %d, in about 95 of 100 data sets',
    (options, shape, target, power) => {
      const { covered, width } = coverage(population(options, shape, target), 429, SAMPLES, power);
      // Three standard errors of 150 trials.
      expect(covered).toBeGreaterThan(0.95 - 0.054);
      expect(width).toBeLessThan(0.12);
    },
  );

  test('of a calibrated model begin at 0 and the test of calibration lets it pass, in about 95 of 100 data sets', () => {
    const { above, rejected } = coverage(population(4, 'over', 0), 429, SAMPLES);
    expect(above).toBe(rejected);
    expect(rejected).toBeLessThan(0.05 + 0.054);
  });

  test('do not depend on how often they are asked, and shrink with the number of examples', () => {
    const small = measured(300, 0.1);
    const large = measured(3000, 0.1);
    expect(eceInterval(small.gaps, small.error)).toEqual(eceInterval(small.gaps, small.error));
    const width = ({ gaps, error }: typeof small) => eceInterval(gaps, error).high - eceInterval(gaps, error).low;
    expect(width(large)).toBeLessThan(width(small) / 2);
  });

  test('of one bin, one example or an exact fit stay in [0, 1] and are not empty', () => {
    for (const [confidences, correct] of [
      [
        [0.5, 0.5],
        [1, 0],
      ],
      [[0.99], [0]],
      [
        [1, 1, 1],
        [1, 1, 1],
      ],
      [
        [0, 0],
        [1, 1],
      ],
    ] as const) {
      const gaps = binGaps([reliabilityBins(confidences, correct)]);
      const { low, high } = eceInterval(gaps, ece(confidences, correct));
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeGreaterThanOrEqual(low);
      expect(high).toBeLessThanOrEqual(1);
    }
  });

  test('end at the largest error that the confidences can have', () => {
    const confidences = Float64Array.from({ length: 100 }, () => 0.9);
    const { low, high } = eceInterval(binGaps([reliabilityBins(confidences, new Uint8Array(100))]), 0.9);
    expect(high).toBeCloseTo(0.9, 12);
    expect(low).toBeGreaterThan(0.8);
  });

  test('take a total standard error in place of that of fixed temperatures where it is larger', () => {
    const { gaps, error } = measured(600, 0.1);
    const fixed = eceInterval(gaps, error);
    expect(eceInterval(gaps, error, { totalError: 0.001 })).toEqual(fixed);
    expect(eceInterval(gaps, error, { totalError: 0.04 }).high).toBeGreaterThan(fixed.high + 0.02);
  });

  test('of five splits of the same examples are as wide as those of nearly all examples', () => {
    const { bins, gaps, error } = measured(700, 0.1);
    const one = eceInterval(gaps, error);
    const five = eceInterval(binGaps([bins, bins, bins, bins, bins], 0.7), error);
    const ratio = (five.high - five.low) / (one.high - one.low);
    expect(ratio).toBeGreaterThan(0.78);
    expect(ratio).toBeLessThan(0.97);
  });
});

describe('what a calibrated model would show', () => {
  test('is the mean and the 95th percentile of ECE when labels are drawn from the confidences', () => {
    const { confidences, gaps } = measured(600, 0);
    const generator = seededGenerator(4);
    const drawn = Float64Array.from({ length: 2000 }, () =>
      ece(
        confidences,
        Array.from(confidences, (confidence) => Number(uniformDraw(generator) < confidence)),
      ),
    ).sort();
    const reference = calibratedReference(gaps, 0.05);
    expect(Math.abs(reference.mean - drawn.reduce((sum, value) => sum + value, 0) / 2000)).toBeLessThan(0.0006);
    expect(Math.abs(reference.high - (drawn[1900] ?? 0))).toBeLessThan(0.002);
    expect(Math.abs(reference.pValue - drawn.filter((value) => value >= 0.05).length / 2000)).toBeLessThan(0.03);
  });
});

describe('intervals of the relatives of ECE', () => {
  test('smooth ECE: hold the true number of a population whose gaps are known, at the measured shape', () => {
    const from = population(4, 'over', 0.05);
    const generator = seededGenerator(8);
    let covered = 0;
    for (let i = 0; i < 30; i++) {
      const { confidences, correct } = sample(from, 429, generator);
      const { low, high } = smoothInterval(
        binGaps([reliabilityBins(confidences, correct)]),
        [confidences],
        smoothEce(rankedConfidences(confidences, correct)),
      );
      if (low <= 0.05 && 0.05 <= high) covered++;
    }
    expect(covered).toBeGreaterThan(30 * 0.95 - 3 * Math.sqrt(30 * 0.95 * 0.05));
  });

  test('smooth ECE: the error of a population on the grid is that of as many examples', () => {
    const { confidences } = measured(4000, 0);
    // Right in exact proportion: 7 of 10 of the examples near each confidence where 8 of 10 are said.
    const near = confidences.map(() => 0.8);
    const correct = Uint8Array.from(near, (_, n) => Number(n % 10 < 7));
    const cells = cellShares([near], 200);
    expect(smoothError(cells, new Float64Array(200).fill(0.1))).toBeCloseTo(
      smoothEce(rankedConfidences(near, correct)),
      3,
    );
  });

  test('smooth ECE: of calibrated confidences begin at 0, of five splits are narrower, of refits wider', () => {
    const { gaps, bins, confidences, correct } = measured(600, 0.1);
    const error = smoothEce(rankedConfidences(confidences, correct));
    const width = ({ low, high }: { low: number; high: number }) => high - low;
    const one = smoothInterval(gaps, [confidences], error);
    const five = smoothInterval(binGaps([bins, bins, bins, bins, bins], 0.7), [confidences], error);
    expect(width(five) / width(one)).toBeGreaterThan(0.8);
    expect(width(five) / width(one)).toBeLessThan(0.97);
    expect(width(smoothInterval(gaps, [confidences], error, 1.5)) / width(one)).toBeGreaterThan(1.3);
    const calibrated = measured(600, 0);
    const small = smoothEce(rankedConfidences(calibrated.confidences, calibrated.correct));
    expect(smoothInterval(calibrated.gaps, [calibrated.confidences], small).low).toBe(0);
  });

  test('MCE: from the largest gap that no bin can do without to the largest that one allows', () => {
    const bins = reliabilityBins(
      Float64Array.from({ length: 200 }, (_, n) => (n < 100 ? 0.55 : 0.95)),
      Uint8Array.from({ length: 200 }, (_, n) => Number(n < 50 || (n >= 100 && n < 150))),
    );
    const { low, high } = largestGapInterval(binGaps([bins]));
    // 50 of 100 right at 0.95: 0.3983 to 0.6017 at level 0.95, wider where two bins share the level.
    expect(low).toBeGreaterThan(0.95 - 0.63);
    expect(low).toBeLessThan(0.95 - 0.6017);
    expect(high).toBeGreaterThan(0.95 - 0.3983);
    expect(high).toBeLessThan(0.95 - 0.37);
    expect(largestGapInterval(binGaps([reliabilityBins([0.99], [0])]))).toMatchObject({ high: 0.99 });
  });
});

/** Confidences in [0.3, 1], `over` too high. */
function measured(count: number, over: number) {
  const generator = seededGenerator(7);
  const confidences = Float64Array.from({ length: count }, () => 0.3 + 0.7 * uniformDraw(generator));
  const correct = Uint8Array.from(confidences, (confidence) => Number(uniformDraw(generator) < confidence - over));
  const bins = reliabilityBins(confidences, correct);
  return { confidences, correct, bins, gaps: binGaps([bins]), error: ece(confidences, correct) };
}
