import fc from 'fast-check';
import { expect, test } from 'vitest';
import { calibrateTarget } from '../../../src/calibration/calibrate-target.js';
import { INCLUSION_FRACTIONS, reintroduction, unitWeights } from '../../../src/calibration/curves/reintroduction.js';
import { inputOf, type RandomTarget, randomTarget, SEEDED } from '../random-target.js';

function open(given: RandomTarget) {
  const indexes = Int32Array.from(given.target.keys());
  const calibration = calibrateTarget(inputOf(given, ['daca', 'full-kl', 'supportcal'], [1]));
  const [daca, fullKl, supportcal] = calibration.fit(indexes).outcomes;
  return { split: calibration.open(indexes), daca: daca!, fullKl: fullKl!, supportcal: supportcal! };
}

test('share 0 is DACA, share 1 with unit weights is full KL', () => {
  fc.assert(
    fc.property(randomTarget, fc.integer({ min: 0, max: 99 }), (given, seed) => {
      const { split, daca, fullKl } = open(given);
      const at = reintroduction(split, seed);
      expect(split.fit(at(unitWeights(split), 0))).toEqual(daca.outcome);
      expect(split.fit(at(unitWeights(split), 1))).toEqual(fullKl.outcome);
    }),
    { ...SEEDED, numRuns: 60 },
  );
});

test('a larger share keeps the examples of a smaller one, floor(share x |D|) in all, and A is never touched', () => {
  fc.assert(
    fc.property(randomTarget, fc.integer({ min: 0, max: 99 }), (given, seed) => {
      const { split } = open(given);
      const inD = new Set(split.disagreement);
      const at = reintroduction(split, seed);
      let before: number[] = [];
      for (const fraction of INCLUSION_FRACTIONS) {
        const { weights } = at(unitWeights(split), fraction);
        const back = [...weights.keys()].filter((n) => inD.has(n) && weights[n] === 1);
        expect(back.length).toBe(Math.floor((Math.round(fraction * 10) * inD.size) / 10));
        expect(before.every((n) => back.includes(n))).toBe(true);
        expect([...weights.keys()].every((n) => inD.has(n) || weights[n] === 1)).toBe(true);
        before = back;
      }
    }),
    { ...SEEDED, numRuns: 60 },
  );
});

test('which examples come first is drawn by the seed, the same at every call', () => {
  const rows = Array.from({ length: 20 }, () => [2, 0]);
  const { split } = open({ target: rows, ownBase: rows.map(() => [0, 1]), pool: [rows, rows, rows, rows] });
  const half = (seed: number) => [...reintroduction(split, seed)(unitWeights(split), 0.5).weights].join('');
  expect(half(1)).toBe(half(1));
  expect(new Set([1, 2, 3, 4, 5].map(half)).size).toBe(5);
});
