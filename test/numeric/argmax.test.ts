import { expect, test } from 'vitest';
import { predictions } from '../../src/calibration/answers/predictions.js';
import { argmax, hasTiedMaximum } from '../../src/numeric/argmax.js';
import { raggedRows, rowOf, sameShape, takeRows } from '../../src/numeric/ragged-rows.js';

test('ties go to the lowest index and are flagged', () => {
  expect([argmax([1, 3, 3]), argmax([2, 2]), argmax([-5])]).toEqual([1, 0, 0]);
  expect([hasTiedMaximum([1, 3, 3]), hasTiedMaximum([3, 1, 1]), hasTiedMaximum([1])]).toEqual([true, false, false]);
});

test('a part of an array counts from its own start', () => {
  expect(argmax([9, 1, 5, 2], 1, 4)).toBe(1);
  expect(hasTiedMaximum([5, 5, 1], 1, 3)).toBe(false);
});

test('rows of different length are predicted one by one, ties counted', () => {
  const { indexes, ties } = predictions(
    raggedRows([
      [1, 2],
      [3, 3, 1],
      [0, 0, 0, 7],
    ]),
  );
  expect([[...indexes], ties]).toEqual([[1, 0, 3], 1]);
});

test('taken rows keep order and length', () => {
  const rows = raggedRows([[1, 2], [3, 4, 5], [6]]);
  const taken = takeRows(rows, [2, 1, 2]);
  expect([0, 1, 2].map((n) => [...rowOf(taken, n)])).toEqual([[6], [3, 4, 5], [6]]);
  expect([sameShape(rows, rows), sameShape(rows, taken)]).toEqual([true, false]);
});
