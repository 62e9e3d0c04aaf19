import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calibrateTarget } from '../../src/calibration/calibrate-target.js';
import type { TemperatureOutcome } from '../../src/calibration/fit/temperature-outcome.js';
import { weightedKl } from '../../src/calibration/fit/weighted-kl.js';
import { weightingMethod } from '../../src/calibration/methods.js';
import { evaluate } from '../../src/metrics/evaluate.js';
import { argmax } from '../../src/numeric/argmax.js';
import { raggedRows } from '../../src/numeric/ragged-rows.js';
import { shuffle } from '../../src/numeric/random/shuffle.js';
import { softmax } from '../../src/numeric/softmax.js';
import { inputOf, type RandomTarget, randomTarget, SEEDED } from './random-target.js';

const KL = ['daca', 'full-kl', 'relative-only', 'supportcal'];
const SUPPORTCAL = weightingMethod('supportcal');
const seeds = fc.integer({ min: 0, max: 1e6 });

function fitAll(given: RandomTarget, order = [...given.target.keys()]) {
  return calibrateTarget(inputOf(given, KL)).fit(Int32Array.from(order)).outcomes;
}

/** Changes every row of every model; `m` counts models, so that each can be changed in its own way. */
function changed(given: RandomTarget, change: (row: number[], n: number, m: number) => number[]): RandomTarget {
  const model = (rows: number[][], m: number) => rows.map((row, n) => change(row, n, m));
  return {
    target: model(given.target, 0),
    ownBase: model(given.ownBase, 1),
    pool: given.pool.map((rows, r) => model(rows, 2 + r)),
  };
}

function expectSame(given: RandomTarget, other: ReturnType<typeof fitAll>): void {
  fitAll(given).forEach(({ outcome, selectedReferences }, i) => {
    const want = other[i]!;
    expect(selectedReferences).toEqual(want.selectedReferences);
    if (Math.abs(want.outcome.weightedBoundaryMargin ?? 1) < 1e-9) return;
    expect(outcome.kind).toBe(want.outcome.kind);
    if (outcome.kind === 'finite' && want.outcome.kind === 'finite')
      expect(Math.abs(outcome.temperature / want.outcome.temperature - 1)).toBeLessThan(1e-8);
  });
}

const noTies = ({ target, ownBase, pool }: RandomTarget) =>
  [target, ownBase, ...pool].every((rows) => rows.every((row) => new Set(row).size === row.length));

describe('temperatures and S* do not depend on', () => {
  test('a constant of its own on every row of every model', () => {
    fc.assert(
      fc.property(randomTarget, seeds, (given, seed) => {
        const shifts = shuffle(401, seed);
        expectSame(
          changed(given, (row, n, m) => row.map((z) => z + shifts[(31 * m + n) % 401]! - 200)),
          fitAll(given),
        );
      }),
      SEEDED,
    );
  });

  test('the order of the options, another one in every row', () => {
    fc.assert(
      fc.property(randomTarget.filter(noTies), seeds, (given, seed) => {
        const order = (row: number[], n: number) => [...shuffle(row.length, seed + n)].map((k) => row[k]!);
        expectSame(changed(given, order), fitAll(given));
      }),
      SEEDED,
    );
  });

  test('the order of the examples', () => {
    fc.assert(
      fc.property(randomTarget, seeds, (given, seed) => {
        expectSame(given, fitAll(given, [...shuffle(given.target.length, seed)]));
      }),
      SEEDED,
    );
  });
});

test("L'(0) = -M_w: the KL divergence itself has that slope at beta = 0", () => {
  fc.assert(
    fc.property(randomTarget, (given) => {
      const split = calibrateTarget(inputOf(given, KL)).open(Int32Array.from(given.target.keys()));
      const [target, ownBase] = [raggedRows(given.target), raggedRows(given.ownBase)];
      const { weights } = split.weigh(SUPPORTCAL, split.select(2)?.references ?? null);
      const margin = split.fit({ weights }).weightedBoundaryMargin;
      if (margin === null) return;
      const [step, loss] = [1e-4, (beta: number) => weightedKl(target, ownBase, weights, beta)!];
      // L is smooth at 0, so that beta below 0 may stand in its difference quotient.
      expect((loss(step) - loss(-step)) / (2 * step)).toBeCloseTo(-margin, 6);
    }),
    SEEDED,
  );
});

test('no temperature has a lower weighted KL divergence than the fitted one', () => {
  fc.assert(
    fc.property(randomTarget, fc.double({ min: -3, max: 3, noNaN: true }), (given, logFactor) => {
      const split = calibrateTarget(inputOf(given, KL)).open(Int32Array.from(given.target.keys()));
      const [target, ownBase] = [raggedRows(given.target), raggedRows(given.ownBase)];
      const { weights } = split.weigh(SUPPORTCAL, split.select(2)?.references ?? null);
      const outcome = split.fit({ weights });
      if (outcome.kind === 'none') return;
      const best = outcome.kind === 'finite' ? outcome.inverseTemperature : 0;
      const other = best === 0 ? Math.exp(logFactor) : best * Math.exp(logFactor);
      const loss = (beta: number) => weightedKl(target, ownBase, weights, beta)!;
      expect(loss(best)).toBeLessThanOrEqual(loss(other) + 1e-12);
    }),
    SEEDED,
  );
});

test('w_n is 1 on A and u c in (0, 1] on D, never above the support of the own base', () => {
  fc.assert(
    fc.property(randomTarget, (given) => {
      const split = calibrateTarget(inputOf(given, KL)).open(Int32Array.from(given.target.keys()));
      const chosen = split.select(3)?.references ?? null;
      const { weights } = split.weigh(SUPPORTCAL, chosen);
      const inD = new Set(split.disagreement);
      given.target.forEach((z, n) => {
        const predicted = argmax(z);
        const u = (v: number[]) => softmax(v)[predicted]! / Math.max(...softmax(v));
        expect(inD.has(n)).toBe(argmax(given.ownBase[n]!) !== predicted);
        if (!inD.has(n)) {
          expect(weights[n]).toBe(1);
          return;
        }
        const c = chosen!.reduce((sum, id) => sum + u(given.pool['abcd'.indexOf(id)]![n]!), 0) / 3;
        expect(weights[n]).toBeCloseTo(u(given.ownBase[n]!) * c, 13);
        expect(weights[n]! > 0 && weights[n]! <= u(given.ownBase[n]!) + 1e-15).toBe(true);
      });
    }),
    SEEDED,
  );
});

test('a temperature changes no prediction, not even where options become equal in float64', () => {
  fc.assert(
    fc.property(randomTarget, fc.constantFrom(0, 5e-324, 1e-200, 1e-17, 0.3, 7, 1e5), (given, beta) => {
      const rows = raggedRows(given.target);
      const all = Int32Array.from(given.target.keys());
      const labels = Int32Array.from(given.ownBase, (row) => argmax(row));
      const evaluation = evaluate({ logits: rows, indexes: all, labels }, beta)!;
      expect([...evaluation.correct]).toEqual(given.target.map((row, n) => (argmax(row) === labels[n] ? 1 : 0)));
      expect(evaluation.accuracy).toBe(evaluate({ logits: rows, indexes: all, labels }, 1)!.accuracy);
    }),
    SEEDED,
  );
});

describe('extreme inputs', () => {
  const repeat = (row: number[], count: number) => Array.from({ length: count }, () => row);
  const halved = (rows: number[][]) => rows.map((row) => row.map((value) => value / 2));
  const calibrate = (target: number[][], ownBase: number[][], indexes = [...target.keys()]) =>
    calibrateTarget(inputOf({ target, ownBase, pool: [0, 1, 2, 3].map(() => ownBase) }, KL)).fit(
      Int32Array.from(indexes),
    );
  const temperatures = (outcomes: ReturnType<typeof fitAll>) =>
    outcomes.map(({ outcome }) => (outcome.kind === 'finite' ? outcome.temperature : outcome.kind));
  const close = (value: number) => expect.closeTo(value, 8);

  test.each([2, 26])('K = %i with logits of 1e4 and -900: a teacher of softmax(z / 2) still gives 2', (k) => {
    const spread = Array.from({ length: k }, (_, i) => [1e4, -900, 0, 3, 8][i % 5]! + i / 100);
    const target = [spread, [...spread].reverse(), spread.map((value) => value / 1e3)];
    expect(temperatures(calibrate(target, halved(target)).outcomes)).toEqual(KL.map(() => close(2)));
    expect(temperatures(calibrate(target.slice(0, 1), halved(target.slice(0, 1))).outcomes)).toEqual(
      KL.map(() => close(2)),
    );
  });

  test('26 options whose teacher halves the gaps, one calibration example of many', () => {
    const row = Array.from({ length: 26 }, (_, k) => Math.sin(k) * 3);
    const target = repeat(row, 5);
    const { outcomes, calibrationCount } = calibrate(target, halved(target), [3]);
    expect(calibrationCount).toBe(1);
    expect(temperatures(outcomes)).toEqual(KL.map(() => close(2)));
  });

  test('one example that is not constant decides alone', () => {
    const target = [...repeat([1, 1, 1], 9), [2, 0, -1]];
    const { outcomes } = calibrate(target, [...repeat([0.3, 0.1, 0], 9), [1, 0, -0.5]]);
    expect(temperatures(outcomes)).toEqual(KL.map(() => close(2)));
  });

  test('logits that are all tied predict the lowest option, are counted, and have no fit', () => {
    const target = repeat([4, 4, 4], 3);
    const calibration = calibrateTarget(
      inputOf({ target, ownBase: target, pool: [target, target, target, target] }, KL),
    );
    expect([...calibration.targetPredictions]).toEqual([0, 0, 0]);
    expect(calibration.targetTies).toBe(3);
    const kinds = calibration.fit(Int32Array.of(0, 1, 2)).outcomes.map(({ outcome }) => outcome);
    for (const outcome of kinds) expect(outcome).toMatchObject({ kind: 'none', reason: 'constant-logits' });
  });

  test('without any example every method says so', () => {
    const target = repeat([2, 0], 2);
    for (const { outcome } of calibrate(target, target, []).outcomes)
      expect(outcome).toEqual({ kind: 'none', reason: 'no-examples', weightedBoundaryMargin: null });
  });

  test('A empty: DACA has no examples, SupportCal fits on D alone', () => {
    const target = repeat([2, 0, 1.9], 4);
    const ownBase = repeat([0.9, 0, 1], 4);
    const [daca, , relative, supportcal] = calibrate(target, ownBase).outcomes.map(({ outcome }) => outcome);
    expect(daca).toMatchObject({ kind: 'none', reason: 'no-examples' });
    // Equal weights: whatever they are, they leave the fit of the unweighted objective.
    const full = calibrate(target, ownBase).outcomes[1]!.outcome as Extract<TemperatureOutcome, { kind: 'finite' }>;
    for (const outcome of [relative!, supportcal!])
      expect(outcome).toMatchObject({ kind: 'finite', temperature: close(full.temperature) });
  });
});
