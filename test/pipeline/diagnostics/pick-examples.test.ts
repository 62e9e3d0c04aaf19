import { beforeAll, expect, test } from 'vitest';
import { calibrateTarget } from '../../../src/calibration/calibrate-target.js';
import { raggedRows } from '../../../src/numeric/ragged-rows.js';
import { type PickedExample, pickExamples } from '../../../src/pipeline/diagnostics/pick-examples.js';
import { exampleRun } from '../../report/example-results.js';

// Rows 0 to 5 calibrate, 6 to 9 are evaluated. The target says option 0 everywhere.
const target = raggedRows(Array.from({ length: 10 }, (_, n) => [3 + n, 0, 0]));
/** ln u of the own base for option 0: 0 where it agrees, else minus this gap. */
const gaps = [1, 800, 0, 900, 2, 0, 0, 1, 0, 1];
const ownBase = raggedRows(gaps.map((gap) => [0, gap, -1]));
const reference = raggedRows(gaps.map((_, n) => [0, n === 0 ? 5 : 0.5, 0]));
const aligned = {
  targetLogits: target,
  ownBaseLogits: ownBase,
  references: [{ id: 'ref', logits: reference }],
  labels: Int32Array.of(0, 0, 0, 0, 0, 0, 1, -1, 2, 0),
  // Example 0 is unusable: example n + 1 is row n.
  rowOfExample: Int32Array.of(-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
  warnings: [],
};
const split = { seed: 1, calibration: Int32Array.of(0, 1, 2, 3, 4, 5), evaluation: Int32Array.of(6, 7, 8, 9) };
const calibration = calibrateTarget({ ...aligned, methods: ['supportcal'], combinationSizes: [1] });
const runs = [
  exampleRun({ method: 'vanilla', temperature: null, temperatureKind: 'none' }),
  exampleRun({ method: 'daca', temperature: 2 }),
  exampleRun({ method: 'supportcal', combinationSize: 2, temperature: 9, selectedReferences: ['ref'] }),
  exampleRun({ method: 'supportcal', combinationSize: 1, temperature: 4, selectedReferences: ['ref'] }),
  exampleRun({ method: 'supportcal', combinationSize: 1, temperature: 7, selectedReferences: ['ref'], seed: 2 }),
];
const input = { target: 't', ownBase: 'b', aligned, calibration, split, runs };

let picked: PickedExample[];
beforeAll(() => {
  picked = pickExamples(input);
});
const examplesOf = (kind: string) => picked.filter((each) => each.kind === kind).map(({ example }) => example);

test('weights come from the disagreements of the calibration split, ordered even where they underflow to 0', () => {
  // ln w = -gap + ln c: rows 4 (-2 - 0.5), 0 (-1 - 5), 1 (-800.5), 3 (-900.5).
  expect(examplesOf('largest-weight')).toEqual([5, 1, 2, 4]);
  expect(examplesOf('smallest-weight')).toEqual([4, 2, 1, 5]);
  expect(picked[0]!.weight).toBeCloseTo(Math.exp(-2.5), 12);
  expect(picked.find(({ example }) => example === 4)!.weight).toBe(0);
});

test('the strongest contradiction is the least relative support of the own base', () => {
  expect(examplesOf('strongest-contradiction')).toEqual([4, 2, 5, 1]);
  expect(picked.find(({ kind }) => kind === 'strongest-contradiction')).toMatchObject({
    rank: 1,
    prediction: 0,
    ownBasePrediction: 1,
    ownBaseSupport: 0,
  });
});

test('errors are wrong labelled predictions of the evaluation split, most confident first, without a weight', () => {
  expect(examplesOf('overconfident-error')).toEqual([9, 7]);
  expect(
    picked.filter(({ kind }) => kind === 'overconfident-error').map(({ label, weight }) => [label, weight]),
  ).toEqual([
    [2, null],
    [1, null],
  ]);
});

test('distributions are the target before and after SupportCal (smallest M of the split) and DACA, the base, the references', () => {
  const { distributions } = picked[0]!;
  expect(distributions.map(({ model, role, method, temperature }) => [model, role, method, temperature])).toEqual([
    ['t', 'target', null, null],
    ['t', 'target', 'supportcal', 4],
    ['t', 'target', 'daca', 2],
    ['b', 'own-base', null, null],
    ['ref', 'reference', null, null],
  ]);
  const total = 1 + 2 * Math.exp(-7 / 4);
  expect(distributions[1]!.probabilities).toEqual(
    [1, Math.exp(-7 / 4), Math.exp(-7 / 4)].map((p) => Number((p / total).toFixed(5))),
  );
});

test('an infinite temperature shows 1/K; a method without a fit has no distribution', () => {
  const without = [
    exampleRun({ method: 'daca', temperature: null, temperatureKind: 'none', temperatureReason: 'no-examples' }),
    exampleRun({
      method: 'supportcal',
      combinationSize: 1,
      temperature: null,
      temperatureKind: 'infinite',
      selectedReferences: ['ref'],
    }),
  ];
  const [first] = pickExamples({ ...input, runs: without });
  expect(first!.distributions.map(({ method }) => method)).toEqual([null, 'supportcal', null, null]);
  expect(first!.distributions[1]!.probabilities).toEqual([0.33333, 0.33333, 0.33333]);
});

test('labels change nothing but the errors', () => {
  const other = { ...aligned, labels: Int32Array.of(1, 1, 1, 1, 1, 1, -1, -1, -1, -1) };
  const bare = (each: PickedExample[]) =>
    each.filter(({ kind }) => kind !== 'overconfident-error').map(({ label, ...rest }) => rest);
  const relabelled = pickExamples({ ...input, aligned: other });
  expect(bare(relabelled)).toEqual(bare(picked));
  expect(relabelled.filter(({ kind }) => kind === 'overconfident-error')).toEqual([]);
});

test('without a method that weighs, only contradictions and errors are shown', () => {
  const kinds = pickExamples({ ...input, runs: [exampleRun({ method: 'daca' })] }).map(({ kind }) => kind);
  expect(new Set(kinds)).toEqual(new Set(['strongest-contradiction', 'overconfident-error']));
});
