import { describe, expect, it } from 'vitest';
import { valueHash } from '../../../src/pipeline/calibrate/value-hash.js';

describe('the hash of a value', () => {
  it('is that of another value with the same content', () => {
    const make = () => ({ ids: ['a', 'b'], scores: new Map([['m', Float64Array.of(1, Number.NaN)]]), none: undefined });
    expect(valueHash(make())).toBe(valueHash(make()));
  });

  it('differs where any part differs', () => {
    const shared = new Float64Array(new SharedArrayBuffer(16));
    const values = [
      ...[
        [],
        {},
        new Map(),
        '',
        null,
        undefined,
        0,
        -0,
        '0',
        false,
        [[]],
        ['', ''],
        [''],
        ['a', 'b'],
        ['a,b'],
        [['a'], 'b'],
      ],
      ...[
        ['a', ['b']],
        { a: 'b' },
        { a: { b: 1 } },
        new Map([['a', 'b']]),
        Float64Array.of(0, 0),
        Float64Array.of(0, -0),
      ],
      ...[Int32Array.of(0, 0, 0, 0), Float64Array.of(0), [shared, shared], [shared, 1], { b: 1, a: 2 }, { a: 2, b: 1 }],
    ];
    expect(new Set(values.map(valueHash)).size).toBe(values.length);
    shared[1] = 5e-324;
    expect(values.map(valueHash)).not.toContain(valueHash([new Float64Array(2), 1]));
  });

  it('reads a view alone, and not what lies beside it', () => {
    const numbers = Float64Array.of(1, 2, 3);
    expect(valueHash(numbers.subarray(1))).toBe(valueHash(Float64Array.of(2, 3)));
  });

  it('refuses what could differ unseen', () => {
    for (const value of [() => 1, Symbol('s'), new Set([1]), new Date(0), { deep: [() => 1] }])
      expect(() => valueHash(value)).toThrow(TypeError);
  });
});
