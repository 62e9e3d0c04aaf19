import { describe, expect, test } from 'vitest';
import { type Slope, solveSlope } from '../../../src/calibration/fit/solve-slope.js';

/** L'(beta) = beta - root. */
const line =
  (root: number): Slope =>
  (beta) => ({ slope: beta - root, curvature: 1 });

describe('solveSlope', () => {
  test.each([
    [1, 1],
    [3, 1e-3],
    // Far below and far above the guess, where Newton is too slow or leaves all bounds.
    [1e-30, 1e12],
    [1e30, 1],
    [1e-200, 1e200],
    [1e200, 1e-200],
  ])('finds a root at %d from a guess of %d', (root, guess) => {
    const found = solveSlope(line(root), { guess, tolerance: 1e-13 * root })!;
    expect(found.beta / root).toBeCloseTo(1, 12);
    expect(found.iterations).toBeLessThan(300);
  });

  test('finds a root where the slope jumps, to two neighbouring numbers', () => {
    const found = solveSlope((beta) => ({ slope: beta < 2 ? -1 : 1, curvature: 1 }), { guess: 1, tolerance: 0 })!;
    expect(found.beta).toBeCloseTo(2, 14);
  });

  test('ends without a root where there is none', () => {
    expect(solveSlope(() => ({ slope: -1, curvature: 1 }), { guess: 1, tolerance: 1e-12 })).toBeNull();
  });
});
