import { describe, expect, it } from 'vitest';
import { drawIndex } from '../../../src/numeric/random/draw-index.js';

describe('drawIndex', () => {
  it('takes the largest logit at temperature 0, the first of equal ones', () => {
    expect([0, 0.5, 0.999].map((uniform) => drawIndex([1, 3, 3], 0, uniform))).toEqual([1, 1, 1]);
  });

  it('gives every index the share of its probability at the temperature', () => {
    // exp(logit / 0.5) = 1, 4, 0: shares 0.2, 0.8, 0.
    const logits = [0, Math.log(2), -1e4];
    expect([0, 0.1999, 0.2001, 0.9999].map((uniform) => drawIndex(logits, 0.5, uniform))).toEqual([0, 0, 1, 1]);
    const counts = [0, 0, 0];
    for (let n = 0; n < 1000; n++) counts[drawIndex(logits, 0.5, n / 1000)]!++;
    expect(counts).toEqual([200, 800, 0]);
  });

  it('does not overflow, whatever the scale of the logits', () => {
    expect(drawIndex([5000, 4000], 0.01, 0.5)).toBe(0);
    expect(drawIndex([-5000, -4000], 1e-3, 0.999)).toBe(1);
  });

  it('draws nothing where a logit is missing or not a number', () => {
    expect(drawIndex([1, Number.NaN], 0.7, 0.5)).toBe(-1);
    expect(drawIndex([1, Number.POSITIVE_INFINITY], 0, 0.5)).toBe(-1);
    expect(drawIndex([undefined as unknown as number, 1], 0, 0.5)).toBe(-1);
  });
});
