import { describe, expect, it } from 'vitest';
import { expOfGap } from '../../src/numeric/exp-of-gap.js';
import { seededGenerator } from '../../src/numeric/random/seeded-generator.js';

const BITS = 1200n;
const ONE = 1n << BITS;

/** e^x in whole numbers of 2^-1200: the series at x / 2^16, squared 16 times. */
function exactExp(x: number): bigint {
  // A float64 is a whole number of 2^-1074.
  const scaled = exactOf(x) >> 16n;
  let [term, sum] = [ONE, ONE];
  for (let i = 1n; term !== 0n && i < 400n; i++) {
    term = (term * scaled) / (i << BITS);
    sum += term;
  }
  for (let i = 0; i < 16; i++) sum = (sum * sum) >> BITS;
  return sum;
}

function exactOf(x: number): bigint {
  const exponent = Math.max(-1022, Math.floor(Math.log2(Math.abs(x) || 1)));
  const mantissa = BigInt(x * 2 ** -exponent * 2 ** 52);
  return exponent >= 52 ? mantissa << (BITS + BigInt(exponent - 52)) : (mantissa << BITS) >> BigInt(52 - exponent);
}

describe('the exponential of a gap', () => {
  it('is within 0.51 units in the last place down to e^-700', () => {
    const generator = seededGenerator(1);
    const unit = () => (generator.next() >>> 0) / 2 ** 32;
    for (let i = 0; i < 2_000; i++) {
      const gap = -unit() * [0.003, 1, 30, 700][i % 4]!;
      const given = expOfGap(gap);
      const ulp = 2 ** (Math.floor(Math.log2(given)) - 52);
      const error = exactOf(given) - exactExp(gap);
      expect(Math.abs(Number((error * 10_000n) / exactOf(ulp))), String(gap)).toBeLessThan(5_100);
    }
  });

  it('is exactly 1 at 0 and next to it', () => {
    for (const gap of [0, -0, -1e-320, -1e-17]) expect(expOfGap(gap)).toBe(1);
  });

  it('underflows and passes on what is no number as Math.exp does', () => {
    for (const gap of [-707.9, -720, -745, -746, -1e300, Number.NEGATIVE_INFINITY, Number.NaN]) {
      const exact = Math.exp(gap);
      if (exact > 1e-307) expect(Math.abs(expOfGap(gap) / exact - 1)).toBeLessThan(1e-15);
      else expect(expOfGap(gap)).toBe(exact);
    }
  });
});
