import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringOrder } from '../../src/numeric/string-order.js';

const sorted = (strings: readonly string[]) => Array.from(stringOrder(strings), (n) => strings[n]!);

/** Many strings, so that they are not compared one with another. */
const many = (strings: readonly string[]) => Array.from({ length: 6_000 }, (_, n) => strings[n % strings.length]!);

describe('stringOrder', () => {
  it('orders strings as JavaScript compares them, however many there are', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 6, unit: 'binary' }), { minLength: 1 }), (strings) => {
        expect(sorted(strings)).toEqual([...strings].sort());
        expect(sorted(many(strings))).toEqual(many(strings).sort());
      }),
      { numRuns: 25 },
    );
  });

  it('puts a beginning before what goes on after it, and the empty string first', () => {
    expect(sorted(many(['ab', 'a', '', 'a\u0000', 'abc', 'b'])).filter((each, n, all) => each !== all[n - 1])).toEqual([
      ...['', 'a', 'a\u0000', 'ab', 'abc', 'b'],
    ]);
  });

  it('orders ids of one letter and many digits, whose columns are put together', () => {
    const ids = Array.from({ length: 6_000 }, (_, n) => `q${((n * 7919) % 6_007) * 131}`);
    expect(sorted(ids)).toEqual([...ids].sort());
  });

  it('keeps equal strings in the order of the list', () => {
    const strings = many(['b', 'a']);
    const order = stringOrder(strings);
    for (let i = 1; i < order.length; i++) {
      if (strings[order[i]!] === strings[order[i - 1]!]) expect(order[i]).toBeGreaterThan(order[i - 1]!);
    }
  });

  it('compares strings that are long, or beyond one byte', () => {
    const strings = many(['z'.repeat(50), 'é', 'ÿ', 'Ā', '😀', 'a']);
    expect(sorted(strings)).toEqual([...strings].sort());
  });
});
