import { expect, test } from 'vitest';
import { fixedConfidences, methodCurves, rootOfCubic } from '../../src/inference/method-curves.js';
import { raggedRows, rowOf } from '../../src/numeric/ragged-rows.js';
import { softmax } from '../../src/numeric/softmax.js';

const gaps = raggedRows([
  [0, -1, -3],
  [-2, 0],
]);
const applied = raggedRows([
  [0, -0.5, -0.2],
  [0, -4],
]);

test('the cubics go through the shares of the slope and the confidences at the nodes of Chebyshev', () => {
  const range = { center: 0.3, reach: 0.8 };
  const { slopes, confidences } = methodCurves(
    { gaps, teacherMeans: Float64Array.of(-0.4, -0.9) },
    Float64Array.of(2, 0.5),
    range,
    applied,
  );
  for (const node of [1, 3, 5, 7].map((odd) => Math.cos((odd * Math.PI) / 8))) {
    const beta = Math.exp(0.3 + 0.8 * node);
    for (const n of [0, 1]) {
      const at = (cubics: Float64Array) =>
        [0, 1, 2, 3].reduce((sum, power) => sum + cubics[4 * n + power]! * node ** power, 0);
      const row = rowOf(gaps, n);
      const mean = softmax(row, beta).reduce((sum, share, k) => sum + share * row[k]!, 0);
      expect(at(slopes)).toBeCloseTo([2, 0.5][n]! * (mean - [-0.4, -0.9][n]!), 12);
      expect(at(confidences)).toBeCloseTo(Math.max(...softmax(rowOf(applied, n), beta)), 12);
    }
  }
  expect([...fixedConfidences(gaps, 0)]).toEqual([1 / 3, 0, 0, 0, 1 / 2, 0, 0, 0]);
});

test('the root of a cubic is found from 0, and there is none outside [-1, 1] or where Newton goes in a circle', () => {
  const [a, b, c, d] = [-0.3, 1.1, 0.2, 0.4];
  const x = rootOfCubic(a, b, c, d)!;
  expect(a + b * x + c * x ** 2 + d * x ** 3).toBeCloseTo(0, 14);
  expect(rootOfCubic(-1.5, 1, 0, 0)).toBe(null);
  expect(rootOfCubic(2, -2, 0, 1)).toBe(null);
  expect(rootOfCubic(1, 0, 0, 0)).toBe(null);
});
