import { describe, expect, test } from 'vitest';
import { calibrateTarget } from '../../../src/calibration/calibrate-target.js';
import { LOSS_REACH, LOSS_STEPS, lossCurves } from '../../../src/calibration/curves/loss-curves.js';
import { weightedKl } from '../../../src/calibration/fit/weighted-kl.js';
import { raggedRows, takeRows } from '../../../src/numeric/ragged-rows.js';

const N = 40;
const wave = (n: number) => Math.sin(n * 12.9898 + 0.5);
const rows = (scale: number, shift: number) =>
  raggedRows(
    Array.from({ length: N }, (_, n) =>
      Array.from({ length: 2 + (n % 4) }, (_, k) => scale * wave(7 * n + k) + shift * wave(3 * n + k)),
    ),
  );
const all = Int32Array.from({ length: N }, (_, n) => n);
const ones = { weights: new Float64Array(N).fill(1) };

function open(targetLogits: ReturnType<typeof raggedRows>, ownBaseLogits: ReturnType<typeof raggedRows>, at = all) {
  return calibrateTarget({ targetLogits, ownBaseLogits, references: [], methods: [], combinationSizes: [] }).open(at);
}

describe('the loss of a fit with a finite temperature', () => {
  const [target, base] = [rows(6, 0), rows(1, 0.7)];
  const split = open(target, base);
  const weighted = { weights: Float64Array.from({ length: N }, (_, n) => (n % 5) / 4) };
  const fits = [ones, weighted].map((given) => ({ given, outcome: split.fit(given) }));
  const curves = lossCurves(split, fits);

  test('is the weighted KL of the definition at every point of the grid', () => {
    for (const { fit, losses, step } of curves) {
      expect(losses).toHaveLength(LOSS_STEPS + 1);
      losses.forEach((loss, i) => {
        expect(loss).toBeCloseTo(weightedKl(target, base, fit.given.weights, i * step)!, 12);
      });
    }
  });

  test('has its least value at beta*, above 0, and the grid reaches three times as far', () => {
    for (const { fit, losses, loss, inverseTemperature } of curves) {
      expect(fit.outcome).toMatchObject({ kind: 'finite', inverseTemperature });
      expect(inverseTemperature).toBeGreaterThan(0);
      for (const each of losses) expect(each).toBeGreaterThanOrEqual(loss);
    }
    const largest = Math.max(...curves.map(({ inverseTemperature }) => inverseTemperature));
    expect(curves[0]!.step * LOSS_STEPS).toBeCloseTo(LOSS_REACH * largest, 12);
  });

  test('is that of the examples of the split alone', () => {
    const half = all.filter((n) => n % 2 === 0);
    const part = open(target, base, half);
    const given = { weights: new Float64Array(half.length).fill(1) };
    const [curve] = lossCurves(part, [{ given, outcome: part.fit(given) }]);
    const want = weightedKl(takeRows(target, half), takeRows(base, half), given.weights, curve!.inverseTemperature)!;
    expect(curve!.loss).toBeCloseTo(want, 12);
  });
});

test('with a boundary margin of -0.4 the curve only rises from beta = 0, with slope 0.4 there', () => {
  // The base prefers what the target does not: sum_k (p_k - 1/2) z_k = (0.4 - 0.5) 4 = -0.4.
  const target = raggedRows([[4, 0]]);
  const base = raggedRows([[Math.log(0.4), Math.log(0.6)]]);
  const split = open(target, base, Int32Array.of(0));
  const given = { weights: Float64Array.of(1) };
  const [curve] = lossCurves(split, [{ given, outcome: split.fit(given) }]);
  expect(curve).toMatchObject({ temperatureKind: 'infinite', inverseTemperature: 0 });
  expect(curve!.weightedBoundaryMargin).toBeCloseTo(-0.4, 12);
  expect(curve!.loss).toBe(curve!.losses[0]);
  for (let i = 1; i < curve!.losses.length; i++) expect(curve!.losses[i]!).toBeGreaterThan(curve!.losses[i - 1]!);
  const near = split.divergences(1e-6)[0]! - split.divergences(0)[0]!;
  expect(near / 1e-6).toBeCloseTo(0.4, 5);
});

test('a fit without an optimum has no curve', () => {
  const split = open(rows(6, 0), rows(1, 0));
  const given = { weights: new Float64Array(N) };
  expect(lossCurves(split, [{ given, outcome: split.fit(given) }])).toEqual([]);
});

test('weights that underflow are measured by the largest', () => {
  const split = open(rows(6, 0), rows(1, 0.7));
  const tiny = { weights: new Float64Array(N), logWeights: () => new Float64Array(N).fill(-2000) };
  const [lost, plain] = lossCurves(split, [
    { given: tiny, outcome: split.fit(tiny) },
    { given: ones, outcome: split.fit(ones) },
  ]);
  expect(lost!.losses).toEqual(plain!.losses);
});
