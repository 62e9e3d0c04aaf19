import { expect, test } from 'vitest';
import { logSumExp } from '../../src/numeric/log-sum-exp.js';
import { logSoftmax, softmax } from '../../src/numeric/softmax.js';

test('logits of 440 and -900 have finite log-probabilities', () => {
  const expected = [-0.0486, -3.0486, -428.0486, -1340.0486];
  logSoftmax([440, 437, 12, -900]).forEach((value, k) => {
    expect(value).toBeCloseTo(expected[k]!, 4);
  });
  expect(softmax([440, 437, 12, -900])[0]).toBeCloseTo(0.9526, 4);
});

test('logits of 1e4 give 1, 0, 0, 0', () => {
  expect([...softmax([1e4, 0, 0, 0])]).toEqual([1, 0, 0, 0]);
});

test('beta = 0 gives 1/K exactly', () => {
  expect([...softmax([1000, 0, -3, 2], 0)]).toEqual([0.25, 0.25, 0.25, 0.25]);
});

test('the sum of no terms is 0, its logarithm -Infinity', () => {
  expect(logSumExp([])).toBe(Number.NEGATIVE_INFINITY);
  expect(logSumExp([-1e5, -1e5])).toBe(-1e5 + Math.LN2);
  expect(logSumExp([0, -40])).toBeCloseTo(4.248354255291589e-18, 30);
});

test('a probability keeps all its digits where the logits are far from 0', () => {
  expect(logSoftmax([1e4 + 2, 1e4])).toEqual(logSoftmax([2, 0]));
});

test('the same values in another order give the same bits', () => {
  const [a, b] = [logSoftmax([0.3, 5.9, 1.7, 0.1]), logSoftmax([5.9, 0.1, 0.3, 1.7])];
  expect(a.toSorted()).toEqual(b.toSorted());
});
