import { describe, expect, it, test } from 'vitest';
import { raggedRows } from '../../src/numeric/ragged-rows.js';
import { logSoftmax, softmax, topProbability } from '../../src/numeric/softmax.js';

describe('softmax', () => {
  it('is exp(beta z) over its sum, however large the logits are', () => {
    const expected = [1, Math.exp(-1), Math.exp(-3)].map((mass, _, all) => mass / (all[0]! + all[1]! + all[2]!));
    for (const shift of [0, 5000, -5000]) {
      softmax([3 + shift, 2 + shift, shift]).forEach((p, k) => {
        expect(p).toBeCloseTo(expected[k]!, 14);
      });
      logSoftmax([3 + shift, 2 + shift, shift]).forEach((p, k) => {
        expect(p).toBeCloseTo(Math.log(expected[k]!), 12);
      });
    }
    softmax([6, 4, 0], 0.5).forEach((p, k) => {
      expect(p).toBeCloseTo(expected[k]!, 14);
    });
  });

  it('gives every option 1/K at the inverse temperature 0, an impossible one too', () => {
    expect([...softmax([9, Number.NEGATIVE_INFINITY, 0, 1], 0)]).toEqual([0.25, 0.25, 0.25, 0.25]);
    expect([...softmax([0, Number.NEGATIVE_INFINITY])]).toEqual([1, 0]);
  });

  it('has finite logarithms for finite logits, however far apart', () => {
    expect([...logSoftmax([0, -5000])]).toEqual([0, -5000]);
  });
});

test('the top probability is the largest of softmax to the last bit, at ties, extremes and 1/K too', () => {
  const rows = [[1.25, -0.5, 3.1, 0.7], [2, 2, 1], [900, -900], [0, Number.NEGATIVE_INFINITY, -3], [5]];
  for (const beta of [0, 0.31, 1, 40])
    for (const [n, row] of rows.entries())
      expect(topProbability(raggedRows(rows), n, beta)).toBe(Math.max(...softmax(row, beta)));
});
