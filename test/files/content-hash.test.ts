import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { canonicalJson, contentHash } from '../../src/files/content-hash.js';

describe('contentHash', () => {
  it('does not depend on the order of keys, at any depth', () => {
    expect(contentHash({ a: 1, b: { c: [1, { x: 1, y: 2 }], d: null } })).toBe(
      contentHash({ b: { d: null, c: [1, { y: 2, x: 1 }] }, a: 1 }),
    );
  });

  it('is the sha256 of JSON with sorted keys and no white space', () => {
    expect(canonicalJson({ b: [1.5, 'é"', true], a: null })).toBe('{"a":null,"b":[1.5,"é\\"",true]}');
    // A list goes into the hash item by item.
    for (const value of [[], [1], ['a', { b: [2] }, null], { a: [1, 2] }, 'text'])
      expect(contentHash(value)).toBe(createHash('sha256').update(canonicalJson(value)).digest('hex'));
    expect(contentHash({})).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
  });

  it.each([
    [
      ['a', 'b'],
      ['b', 'a'],
    ],
    [['ab'], ['a', 'b']],
    [{ a: '1' }, { a: 1 }],
    [{ a: null }, {}],
    ['9007199254740993', '9007199254740992'],
    ['\ud800', '\ufffd'],
  ])('tells %j from %j', (a, b) => {
    expect(contentHash(a)).not.toBe(contentHash(b));
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, undefined, 1n, () => 1, new Date(0), new Map(), new Uint8Array(1)])(
    'refuses %s, wherever it stands',
    (value) => {
      expect(() => contentHash(value)).toThrow(TypeError);
      expect(() => contentHash({ a: [value] })).toThrow('$.a[0]');
      expect(() => contentHash([0, value])).toThrow('$[1]');
    },
  );

  it('says what cannot be hashed', () => {
    expect(() => contentHash({ a: new Map() })).toThrow('$.a: a Map object cannot be hashed');
    expect(() => contentHash(1n)).toThrow('$: bigint cannot be hashed');
    expect(() => contentHash([Number.NEGATIVE_INFINITY])).toThrow('$[0]: -Infinity cannot be hashed');
    expect(contentHash(Object.assign(Object.create(null), { a: 1 }))).toBe(contentHash({ a: 1 }));
  });

  it('refuses a hole in an array', () => {
    expect(() => contentHash(new Array(1))).toThrow(TypeError);
  });
});
