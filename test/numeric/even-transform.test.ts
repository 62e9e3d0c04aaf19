import { expect, test } from 'vitest';
import { evenTransform } from '../../src/numeric/even-transform.js';
import { shuffle } from '../../src/numeric/shuffle.js';
import { sortConfidences } from '../../src/numeric/sort-confidences.js';

test('it is the cosine sum that its formula says', () => {
  const half = Float64Array.of(1, -2, 0.5, 3, 0.25, 7, -1, 2, 4);
  evenTransform(half).forEach((value, k) => {
    const sum = half.reduce((total, x, j) => total + (j % 8 === 0 ? 1 : 2) * x * Math.cos((Math.PI * j * k) / 8), 0);
    expect(value).toBeCloseTo(sum, 12);
  });
});

test('large samples are sorted as small ones are, with many values alike and 1 among them', () => {
  const values = Float64Array.from(shuffle(200_000, 5), (n) => (n % 3 === 0 ? 0.999 + (n % 1000) * 1e-9 : n / 199_999));
  expect(sortConfidences(values)).toEqual(values.slice().sort());
});
