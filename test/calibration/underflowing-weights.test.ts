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

test.each([1e300, Number.MAX_VALUE, 1e-300])('only the ratios of weights count: all of them %d', (weight) => {
  const target = [
    [3, 2, 0],
    [4, 0, 2],
    [0, 1e3, 5],
  ];
  const ownBase = target.map((row) => row.map((logit) => logit / 2));
  const entry = { name: 'own', needs: 'own-base', weight: (_: unknown, n: number) => weight / (n + 1) } as const;
  const plain = { name: 'plain', needs: 'own-base', weight: (_: unknown, n: number) => 1 / (n + 1) } as const;
  const [own, same] = calibrateTarget({
    targetLogits: raggedRows(target),
    ownBaseLogits: raggedRows(ownBase),
    references: [],
    methods: ['own', 'plain'],
    combinationSizes: [],
    methodTable: [entry, plain],
  })
    .fit(Int32Array.of(0, 1, 2))
    .outcomes.map(({ outcome }) => outcome);
  expect(own).toMatchObject({ kind: 'finite', temperature: expect.closeTo(2, 10) });
  expect(own).toMatchObject({ weightedBoundaryMargin: expect.closeTo(same!.weightedBoundaryMargin!, 10) });
});
