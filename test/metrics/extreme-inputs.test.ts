import { describe, expect, test } from 'vitest';
import { binGaps } from '../../src/inference/interval/bin-gaps.js';
import { eceInterval } from '../../src/inference/interval/ece-interval.js';
import { type Evaluation, evaluate } from '../../src/metrics/evaluate.js';
import { raggedRows } from '../../src/numeric/ragged-rows.js';

const options = (count: number, value: (k: number) => number) => Array.from({ length: count }, (_, k) => value(k));

const CASES: [string, number[][], number[], number][] = [
  ['one right example', [[2, 0]], [0], 1],
  ['one wrong example', [[2, 0]], [1], 1],
  ['all logits tied, K = 2', [...Array(9).fill([3, 3])], options(9, (k) => k % 2), 1],
  ['all logits tied, K = 26', [...Array(9).fill(options(26, () => -7))], options(9, (k) => k), 1],
  ['K = 2 beside K = 26', [[1, 0], options(26, (k) => Math.sin(k))], [0, 25], 1],
  [
    'logits of 1e4 and -900',
    [
      [1e4, 0, 0, -900],
      [-900, 1e4, 3, 3],
      [440, 437, 12, -900],
    ],
    [0, 2, 1],
    1,
  ],
  ['all confidences exactly 1', [...Array(5).fill([1e4, 0])], [0, 0, 0, 1, 0], 1],
  ['confidences above 0 that underflow to it', [options(26, (k) => -900 * k)], [25], 1],
  [
    'an infinite temperature',
    [
      [5, 1, 0],
      [0, 9],
    ],
    [0, 0],
    0,
  ],
  ['a temperature near 0', [[1, 0.5, 0.25]], [1], 1e300],
];

describe('every metric is a finite number for extreme inputs, and the parts of the Brier score still add up', () => {
  test.each(CASES)('%s', (_, logits, labels, beta) => {
    for (const binEdges of ['equal-width', 'equal-mass'] as const) {
      const indexes = Int32Array.from(labels.keys());
      const got = evaluate({ logits: raggedRows(logits), indexes, labels: Int32Array.from(labels) }, beta, {
        binEdges,
      })!;
      const { auroc, bins, classBins: _, brierParts, examples: __, confidences: ___, correct, ...numbers } = got;
      for (const [name, value] of Object.entries({ ...numbers, ...brierParts })) {
        expect(Number.isFinite(value), `${name} ${value}`).toBe(true);
      }
      expect(auroc === null).toBe(correct.every((hit) => hit === correct[0]));
      expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(labels.length);
      const { reliability, resolution, uncertainty, withinBinVariance, withinBinCovariance } = brierParts;
      const sum = reliability - resolution + uncertainty + withinBinVariance - withinBinCovariance;
      expect(sum).toBeCloseTo(got.brier, 12);
      const { low, high } = eceInterval(binGaps([bins]), got.ece);
      expect(0 <= low && low <= high && high <= 1).toBe(true);
    }
  });
});

const one = (logits: number[], label: number): Evaluation =>
  evaluate({ logits: raggedRows([logits]), indexes: Int32Array.of(0), labels: Int32Array.of(label) }, 1)!;

test('one example: every calibration error is its own gap, and nothing is taken off for bias', () => {
  const { ece, mce, rmsCe, adaptiveEce, debiasedEce, debiasedRmsCe } = one([Math.log(4), 0], 0);
  for (const error of [ece, mce, rmsCe, adaptiveEce, debiasedEce]) expect(error).toBeCloseTo(0.2, 12);
  // A bin of one example has no variance to estimate: it adds nothing.
  expect(debiasedRmsCe).toBe(0);
});

test('under- and over-confidence have different signs', () => {
  expect(one([Math.log(4), 0], 0).overconfidence).toBeCloseTo(-0.2, 12);
  expect(one([Math.log(4), 0], 1).overconfidence).toBeCloseTo(0.8, 12);
});

test('with equal confidences, AURC is the error rate and so is all of its excess but that of the best order', () => {
  const logits = raggedRows([...Array(4).fill([1, 0])]);
  const got = evaluate({ logits, indexes: Int32Array.of(0, 1, 2, 3), labels: Int32Array.of(0, 1, 0, 0) }, 1)!;
  expect(got.aurc).toBeCloseTo(0.25, 12);
  expect(got.excessAurc).toBeCloseTo(0.25 - 1 / 4 / 4, 12);
});
