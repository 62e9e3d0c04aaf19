import { expect, test } from 'vitest';
import { CALIBRATION_METHODS, type CalibrationMethod, calibrateTarget, evaluate, raggedRows } from '../src/index.js';

/** Disagreement examples count by the square of what the own base gives the target's answer. */
const squared: CalibrationMethod = {
  name: 'squared-support',
  needs: 'own-base',
  weight: ({ disagreement, ownBaseSupport }, n) => (disagreement[n] === 0 ? 1 : ownBaseSupport[n]! ** 2),
};

const rows = (scale: number, shift: number) =>
  raggedRows(Array.from({ length: 60 }, (_, n) => [0, 1, 2].map((k) => scale * Math.sin(7 * n + 3 * k + shift))));
const input = { targetLogits: rows(5, 0.4), ownBaseLogits: rows(1, 0), references: [], combinationSizes: [] };
const all = Int32Array.from({ length: 60 }, (_, n) => n);

test('from the public API, a method of one’s own is one entry beside the others, fitted and measured like them', () => {
  const calibration = calibrateTarget({
    ...input,
    methods: ['daca', 'full-kl', 'relative-only', 'squared-support'],
    methodTable: [...CALIBRATION_METHODS, squared],
  });
  const temperatures = calibration.fit(all).outcomes.map(({ outcome }) => {
    if (outcome.kind !== 'finite') throw new Error(`the fit ended ${outcome.kind}`);
    return outcome.temperature;
  });
  const [daca, fullKl, relative, own] = temperatures as [number, number, number, number];
  // Its weights lie between those of DACA (0 on D) and of relative-only, and so does its temperature.
  expect([daca, own, relative, fullKl]).toEqual([...temperatures].sort((a, b) => a - b));
  const labels = Int32Array.from(all, (n) => (n * 5) % 3);
  expect(evaluate({ logits: input.targetLogits, indexes: all, labels }, 1 / own)!.count).toBe(60);
});

test('a method that is in no table is refused with the names that are', () => {
  expect(() => calibrateTarget({ ...input, methods: ['squared-support'] })).toThrow(/known: vanilla, daca/);
});
