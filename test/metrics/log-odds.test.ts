import { expect, it } from 'vitest';
import { rankedAbove, rankedConfidences } from '../../src/metrics/bins/ranked-confidences.js';
import { evaluate } from '../../src/metrics/evaluate.js';
import { logOddsOfRow } from '../../src/metrics/log-odds.js';
import { raggedRows } from '../../src/numeric/ragged-rows.js';

const INF = Number.POSITIVE_INFINITY;

/** Rows of two options with the given gaps; the first option is predicted, and right where `right` says so. */
function measured(gaps: readonly number[], right: readonly boolean[], beta = 1) {
  const logits = raggedRows(gaps.map((gap) => [gap, 0]));
  const labels = Int32Array.from(right, (hit) => (hit ? 0 : 1));
  return evaluate({ logits, indexes: Int32Array.from(gaps.keys()), labels }, beta);
}

it('ranks answers whose confidence rounds to 1 by their log odds', () => {
  const gaps = [40, 50, 60, 70, 1, 2];
  const right = [false, true, true, true, false, true];
  // 4 right x 2 wrong answers make 8 pairs: 40 is below 50, 60 and 70 and above 2; 1 is below all.
  expect(measured(gaps, right)?.auroc).toBe(7 / 8);
  expect(measured(gaps, right)?.confidences.slice(0, 4)).toEqual(new Float64Array(4).fill(1));
  // From the surest on, errors among them: 0, 0, 0, 1/4, 1/5, 2/6.
  expect(measured(gaps, right)?.aurc).toBeCloseTo((1 / 4 + 1 / 5 + 2 / 6) / 6, 14);
});

it.each([1e-3, 0.1, 1, 10, 1e3])('gives the same order at any temperature, here beta = %d', (beta) => {
  const gaps = [800, 900, 40, 50, 3, 2, 1];
  const right = [false, true, true, false, true, false, true];
  expect(measured(gaps, right, beta)?.auroc).toBe(measured(gaps, right, 1e-2)?.auroc);
  expect(measured(gaps, right, beta)?.aurc).toBe(measured(gaps, right, 1e-2)?.aurc);
});

it('ties what is tied: certain answers, and equal rows in another order of their options', () => {
  expect(measured([INF, INF, INF, INF], [true, false, true, false])?.auroc).toBe(0.5);
  const orders = raggedRows([
    [90, 1, 2, 3],
    [90, 3, 1, 2],
    [90, 2, 3, 1],
  ]);
  const odds = [0, 1, 2].map((n) => logOddsOfRow(orders, n, 0, 0.37));
  expect(new Set(odds).size).toBe(1);
});

it('knows the odds where probabilities do not: impossible options, and an infinite temperature', () => {
  const rows = raggedRows([
    [0, -1e6],
    [3, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
    [3, 2, Number.NEGATIVE_INFINITY],
  ]);
  expect(logOddsOfRow(rows, 0, 0, 1)).toBe(1e6);
  expect(logOddsOfRow(rows, 1, 0, 1)).toBe(INF);
  expect(logOddsOfRow(rows, 1, 0, 0)).toBe(-Math.LN2);
  expect(logOddsOfRow(rows, 2, 0, 0.5)).toBe(0.5);
});

it('sorts the end of both sides by log odds as a sort of everything does', () => {
  const confidences = Float64Array.of(0.4, 1, 0.9, 1, 0.4, 1, 0.2, 1, 1);
  const ranks = Float64Array.of(0.4, 40, 0.9, INF, 0.4, 33, 0.2, 14, 36);
  const correct = Uint8Array.of(1, 1, 0, 1, 0, 1, 0, 0, 0);
  const { right, wrong } = rankedAbove(rankedConfidences(confidences, correct), ranks, correct);
  expect({ right, wrong }).toEqual(rankedConfidences(ranks, correct));
});
