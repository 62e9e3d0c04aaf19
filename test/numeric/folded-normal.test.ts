import { expect, test } from 'vitest';
import { erf, foldedNormalMean } from '../../src/numeric/folded-normal.js';

test.each([
  // scipy.special.erf
  [0, 0],
  [1e-8, 1.1283791670955126e-8],
  [0.5, 0.5204998778130465],
  [1, 0.8427007929497149],
  [2.5, 0.999593047982555],
  [2.9999, 0.9999778955735178],
  [3.5, 0.9999992569016276],
  [7, 1],
])('erf(%d) is %d', (x, want) => {
  expect(Math.abs(erf(x) - want)).toBeLessThan(2e-15);
});

test('the mean of |X| is the deviation x sqrt(2/pi) around 0, the mean itself far from 0, and exact without spread', () => {
  expect(foldedNormalMean(0, 2)).toBeCloseTo(2 * Math.sqrt(2 / Math.PI), 14);
  expect(foldedNormalMean(5, 0.1)).toBeCloseTo(5, 14);
  expect(foldedNormalMean(-0.3, 0)).toBe(0.3);
  // By the C library's exp and erf.
  expect(foldedNormalMean(1, 1)).toBeCloseTo(1.1666309411753726, 14);
  expect(foldedNormalMean(-0.5, 2)).toBeCloseTo(1.6453787928943207, 14);
});
