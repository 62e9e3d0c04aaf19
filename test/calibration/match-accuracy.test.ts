import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calibrateTarget } from '../../src/calibration/calibrate-target.js';
import { expectedGain } from '../../src/calibration/fit/expected-gain.js';
import { meanDoubt, rowDoubts } from '../../src/calibration/fit/mean-doubt.js';
import { logitGaps } from '../../src/calibration/fit/teacher-alignment.js';
import { CALIBRATION_METHODS } from '../../src/calibration/methods.js';
import { raggedRows, takeRows } from '../../src/numeric/ragged-rows.js';
import { softmax } from '../../src/numeric/softmax.js';
import { inputOf, type RandomTarget, randomTarget, SEEDED } from './random-target.js';

interface Expected {
  kind: string;
  reason?: string;
  temperature?: number;
  accuracy: number | null;
}

interface Case {
  name: string;
  target: number[][];
  ownBase: number[][];
  references: Record<string, number[][]>;
  calibration: number[];
  expected: { confidence: Expected; accuracy: Expected };
}

const cases = JSON.parse(
  readFileSync(new URL('../fixtures/calibration/matched.json', import.meta.url), 'utf8'),
) as Case[];

const MATCHED = ['confidence-matched', 'accuracy-matched'];

describe('kinds, temperatures and estimated accuracies equal those of 60-digit arithmetic', () => {
  test.each(cases)('$name', (given) => {
    const { outcomes } = calibrateTarget({
      targetLogits: raggedRows(given.target),
      ownBaseLogits: raggedRows(given.ownBase),
      references: Object.entries(given.references).map(([id, rows]) => ({ id, logits: raggedRows(rows) })),
      methods: MATCHED,
      combinationSizes: [],
    }).fit(Int32Array.from(given.calibration));

    const wanted = [given.expected.confidence, given.expected.accuracy];
    expect(outcomes.map(({ method, combinationSize }) => [method, combinationSize])).toEqual(
      MATCHED.map((method) => [method, null]),
    );
    outcomes.forEach(({ outcome, estimatedAccuracy, selectedReferences }, i) => {
      const want = wanted[i]!;
      expect([outcome.kind, outcome.kind === 'none' ? outcome.reason : undefined]).toEqual([want.kind, want.reason]);
      if (outcome.kind === 'finite') expect(outcome.temperature / want.temperature!).toBeCloseTo(1, 10);
      if (want.accuracy === null) expect(estimatedAccuracy).toBeNull();
      else expect(estimatedAccuracy).toBeCloseTo(want.accuracy, 12);
      expect([outcome.weightedBoundaryMargin, selectedReferences]).toEqual([null, null]);
    });
  });
});

function fitMatched(given: RandomTarget, order?: number[]) {
  return calibrateTarget(inputOf(given, MATCHED)).fit(Int32Array.from(order ?? given.target.keys())).outcomes;
}

function expectSame(got: RandomTarget, want: RandomTarget, scale = 1): void {
  const others = fitMatched(want);
  fitMatched(got).forEach(({ outcome, estimatedAccuracy }, i) => {
    expect(estimatedAccuracy).toBeCloseTo(others[i]!.estimatedAccuracy!, 10);
    const other = others[i]!.outcome;
    expect(outcome.kind).toBe(other.kind);
    if (outcome.kind !== 'finite' || other.kind !== 'finite') return;
    expect(Math.abs(outcome.temperature / (scale * other.temperature) - 1)).toBeLessThan(1e-8);
  });
}

test('at a finite temperature the mean confidence is the estimated accuracy', () => {
  let finite = 0;
  fc.assert(
    fc.property(randomTarget, (given) => {
      for (const { outcome, estimatedAccuracy } of fitMatched(given)) {
        if (outcome.kind !== 'finite') continue;
        finite++;
        const confidences = given.target.map((row) => Math.max(...softmax(row, outcome.inverseTemperature)));
        const mean = confidences.reduce((sum, each) => sum + each, 0) / confidences.length;
        expect(mean).toBeCloseTo(estimatedAccuracy!, 11);
      }
    }),
    SEEDED,
  );
  expect(finite).toBeGreaterThan(100);
});

test('confidence-matched takes the base at its mean confidence', () => {
  fc.assert(
    fc.property(randomTarget, (given) => {
      const mean = given.ownBase.reduce((sum, row) => sum + Math.max(...softmax(row)), 0) / given.ownBase.length;
      expect(fitMatched(given)[0]!.estimatedAccuracy).toBeCloseTo(mean, 12);
    }),
    SEEDED,
  );
});

test('a target that answers like its base has no gain: both methods are one', () => {
  fc.assert(
    fc.property(randomTarget, (given) => {
      const tripled = { ...given, target: given.ownBase.map((row) => row.map((value) => 3 * value)) };
      fc.pre(tripled.target.some((row) => new Set(row).size > 1));
      for (const { outcome } of fitMatched(tripled)) {
        expect(outcome.kind === 'finite' && Math.abs(outcome.temperature / 3 - 1) < 1e-8).toBe(true);
      }
    }),
    SEEDED,
  );
});

test('a constant added to a row, the order of examples and the scale of the target change nothing else', () => {
  fc.assert(
    fc.property(randomTarget, fc.integer({ min: -50, max: 50 }), (given, shift) => {
      const moved = (rows: number[][]) => rows.map((row) => row.map((value) => value + shift));
      const reversed = (rows: number[][]) => [...rows].reverse();
      expectSame({ target: moved(given.target), ownBase: moved(given.ownBase), pool: given.pool.map(moved) }, given);
      expectSame(
        { target: reversed(given.target), ownBase: reversed(given.ownBase), pool: given.pool.map(reversed) },
        given,
      );
      expectSame({ ...given, target: given.target.map((row) => row.map((value) => 1e3 * value)) }, given, 1e3);
    }),
    { ...SEEDED, numRuns: 40 },
  );
});

test('the expected gain counts where references put their mass: on the target or on its base', () => {
  // p of the references: 0.8 and 0.6 on option 0, in example 0 only target and base differ.
  const half = (p: number) => [Math.log(p), Math.log(1 - p)];
  const answers = {
    targetPredictions: Int32Array.of(0, 1),
    ownBasePredictions: Int32Array.of(1, 1),
    references: [raggedRows([half(0.8), half(0.9)]), raggedRows([half(0.6), half(0.2)])],
  };
  expect(expectedGain(answers, Int32Array.of(0, 1))).toBeCloseTo((0.6 + 0.2) / 2 / 2, 14);
  expect(expectedGain(answers, Int32Array.of(0))).toBeCloseTo((0.6 + 0.2) / 2, 14);
  expect(expectedGain(answers, Int32Array.of(1))).toBe(0);
});

test('the doubt of each row is that of the mean over it alone, to the bit', () => {
  const logits = raggedRows([[3.1, -2, 0.25], [1, 1], [0, -800, 2.5, 2.5], [7]]);
  const each = [0, 1, 2, 3].map((n) => meanDoubt(logitGaps(takeRows(logits, [n])), 1).doubt);
  expect([...rowDoubts(logits)]).toEqual(each);
});

test('labels reach neither', () => {
  fc.assert(
    fc.property(randomTarget, (given) => {
      const fitWith = (label: number) =>
        calibrateTarget({
          ...inputOf(given, [...MATCHED, 'oracle-ts']),
          labels: new Int32Array(given.target.length).fill(label),
        }).fit(Int32Array.from(given.target.keys()));
      expect(fitWith(0).outcomes.slice(0, 2)).toEqual(fitWith(1).outcomes.slice(0, 2));
    }),
    { ...SEEDED, numRuns: 30 },
  );
});

test('they and what is made of them are marked as experimental, and no method of the paper is', () => {
  const marked = CALIBRATION_METHODS.filter((method) => 'experimental' in method).map(({ name }) => name);
  expect(marked).toEqual([...MATCHED, 'auto', 'auto-labels']);
});

test('an estimate of one’s own is an entry with a doubt', () => {
  const target = [
    [4, 0],
    [0, 4],
    [4, 0],
  ];
  const eighty = { name: 'eighty', needs: 'own-base', doubt: () => 0.2 } as const;
  const { outcomes } = calibrateTarget({
    targetLogits: raggedRows(target),
    ownBaseLogits: raggedRows(target),
    references: [],
    combinationSizes: [],
    methods: ['eighty'],
    methodTable: [eighty],
  }).fit(Int32Array.of(0, 1, 2));
  expect(outcomes[0]!.outcome).toMatchObject({ kind: 'finite' });
  expect(outcomes[0]!.outcome.kind === 'finite' && outcomes[0]!.outcome.temperature).toBeCloseTo(4 / Math.log(4), 12);
});

test.each([Number.NaN, Number.NEGATIVE_INFINITY])('a doubt of %d is refused, by the name of its method', (doubt) => {
  const method = { name: 'mine', needs: 'own-base', doubt: () => doubt } as const;
  const rows = raggedRows([
    [4, 0],
    [0, 4],
  ]);
  const given = { targetLogits: rows, ownBaseLogits: rows, references: [], combinationSizes: [], methods: ['mine'] };
  expect(() => calibrateTarget({ ...given, methodTable: [method] }).fit(Int32Array.of(0, 1))).toThrow(
    expect.objectContaining({
      code: 'bad-input',
      field: 'doubt',
      message: expect.stringContaining(`the method "mine" gave a doubt of ${doubt}; expected a finite number`),
    }),
  );
});
