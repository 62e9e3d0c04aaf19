import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { calibrateTarget } from '../../src/calibration/calibrate-target.js';
import { klDivergences, weightedKl } from '../../src/calibration/fit/weighted-kl.js';
import { weightingMethod } from '../../src/calibration/methods.js';
import { enumerateCombinations } from '../../src/calibration/references/enumerate-combinations.js';
import { raggedRows } from '../../src/numeric/ragged-rows.js';

interface Case {
  name: string;
  target: number[][];
  ownBase: number[][];
  references: Record<string, number[][]>;
  publishedDaca: number;
  publishedNote: string;
  margins: number[];
  klAtHalf: number[];
  combinations: { references: string[]; ds: number }[];
  fits: Record<string, { weights: number[]; margin: number; temperature: number | null; kl: number | null }>;
}

const file = new URL('../fixtures/daca/cases.json', import.meta.url);
const cases = JSON.parse(readFileSync(file, 'utf8')) as Case[];
const SIZES = [1, 2, 3];

function calibrate(given: Case) {
  const calibration = calibrateTarget({
    targetLogits: raggedRows(given.target),
    ownBaseLogits: raggedRows(given.ownBase),
    references: Object.entries(given.references).map(([id, rows]) => ({ id, logits: raggedRows(rows) })),
    methods: ['daca', 'full-kl', 'relative-only', 'supportcal'],
    combinationSizes: SIZES,
  });
  const all = Int32Array.from(given.target.keys());
  return { split: calibration.open(all), outcomes: calibration.fit(all).outcomes };
}

function expectClose(got: ArrayLike<number>, want: number[], tolerance: number): void {
  expect(got.length).toBe(want.length);
  want.forEach((value, n) => {
    expect(Math.abs(got[n]! - value)).toBeLessThan(tolerance * Math.max(1, Math.abs(value)));
  });
}

describe.each(cases)('$name', (given) => {
  const { split, outcomes } = calibrate(given);

  test('temperatures and M_w equal those of SciPy, which minimises the KL divergence itself', () => {
    expect(outcomes.map((each) => nameOf(each.method, each.combinationSize))).toEqual(Object.keys(given.fits));
    for (const { method, combinationSize, outcome } of outcomes) {
      const want = given.fits[nameOf(method, combinationSize)]!;
      expect(outcome.weightedBoundaryMargin).toBeCloseTo(want.margin, 10);
      // A minimum is flat: SciPy can place it to about the square root of float64's precision.
      expect(outcome.kind === 'finite' && Math.abs(outcome.temperature / want.temperature! - 1)).toBeLessThan(1e-6);
    }
  });

  test('the KL divergence at our temperature is not above the one at SciPy’s', () => {
    const [target, ownBase] = [raggedRows(given.target), raggedRows(given.ownBase)];
    for (const { method, combinationSize, outcome } of outcomes) {
      const want = given.fits[nameOf(method, combinationSize)]!;
      const loss = outcome.kind === 'finite' && weightedKl(target, ownBase, want.weights, outcome.inverseTemperature);
      expect(loss).toBeCloseTo(want.kl!, 12);
      expect(loss).toBeLessThanOrEqual(want.kl! + 1e-14);
    }
  });

  test('weights, margins, DS of every combination and KL of every example equal NumPy’s', () => {
    expectClose(split.margins, given.margins, 1e-12);
    expectClose(klDivergences(raggedRows(given.target), raggedRows(given.ownBase), 0.5), given.klAtHalf, 1e-12);
    for (const { method, combinationSize, selectedReferences } of outcomes) {
      const entry = weightingMethod(method);
      const { weights } = split.weigh(entry, selectedReferences);
      expectClose(weights, given.fits[nameOf(method, combinationSize)]!.weights, 1e-13);
    }
    const ours = SIZES.flatMap((size) => enumerateCombinations(split.referenceMeans!, size));
    expect(ours.map(({ references }) => references)).toEqual(given.combinations.map(({ references }) => references));
    expectClose(
      ours.map(({ disagreementSupport }) => disagreementSupport),
      given.combinations.map(({ ds }) => ds),
      1e-13,
    );
  });

  test('the published fit of DACA ends within 1e-3 of ours where it converges, and above our loss where it does not', () => {
    const { outcome } = outcomes[0]!;
    const ours = outcome.kind === 'finite' ? outcome.temperature : Number.NaN;
    const [target, ownBase] = [raggedRows(given.target), raggedRows(given.ownBase)];
    const loss = (tau: number) => weightedKl(target, ownBase, given.fits.daca!.weights, 1 / tau)!;
    if (given.publishedNote === 'converges') expect(Math.abs(given.publishedDaca - ours)).toBeLessThan(1e-3);
    else expect(given.publishedDaca).toBeLessThan(0.9 * ours);
    expect(loss(ours)).toBeLessThanOrEqual(loss(given.publishedDaca));
  });
});

test('both kinds of case are there', () => {
  const converging = cases.filter(({ publishedNote }) => publishedNote === 'converges').length;
  expect([converging, cases.length - converging]).toEqual([3, 2]);
});

function nameOf(method: string, combinationSize: number | null): string {
  return combinationSize === null ? method : `${method} ${combinationSize}`;
}
