import { expect, test } from 'vitest';
import { calibrateTarget } from '../../src/calibration/calibrate-target.js';
import { raggedRows } from '../../src/numeric/ragged-rows.js';

/** Outcome of each method when every example disagrees and the supports are exp(-2000) and less. */
function fitRows(target: number[][], ownBase: number[][]) {
  const calibration = calibrateTarget({
    targetLogits: raggedRows(target),
    ownBaseLogits: raggedRows(ownBase),
    references: [{ id: 'r', logits: raggedRows(ownBase) }],
    methods: ['daca', 'full-kl', 'relative-only', 'supportcal'],
    combinationSizes: [1],
  });
  const { outcomes } = calibration.fit(Int32Array.from(target, (_, n) => n));
  return Object.fromEntries(outcomes.map(({ method, outcome }) => [method, outcome]));
}

test('weights too small for a double still count: equal ones give the unweighted fit', () => {
  const same = [0, 1, 2].map(() => [3, 2, 0]);
  const { daca, ...fitted } = fitRows(
    same,
    same.map(() => [0, 2000, -10]),
  );
  expect(daca).toMatchObject({ kind: 'none', reason: 'no-examples' });
  expect(fitted['full-kl']).toMatchObject({ kind: 'finite' });
  expect(fitted['relative-only']).toEqual(fitted['full-kl']);
  expect(fitted.supportcal).toEqual(fitted['full-kl']);
});

test('of weights too small for a double the largest decides', () => {
  const { 'relative-only': fitted } = fitRows(
    [
      [3, 2, 0],
      [3, 0, 2],
    ],
    [
      [0, 2000, -10],
      [0, 5000, -10],
    ],
  );
  // E_p[z] - mean z of the first row alone; that of the second is -5/3.
  expect(fitted?.weightedBoundaryMargin).toBeCloseTo(2 - 5 / 3, 12);
});
