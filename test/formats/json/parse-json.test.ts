import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonFault, JsonReader } from '../../../src/formats/json/parse-json.js';

const read = (text: string, allowNonFinite = false) => new JsonReader(text, { allowNonFinite }).readAll();

function faultOf(text: string): { message: string; offset: number } {
  try {
    read(text);
  } catch (error) {
    if (error instanceof JsonFault) return { message: error.message, offset: error.offset };
    throw error;
  }
  throw new Error(`no fault in ${text}`);
}

describe('JsonReader', () => {
  it('agrees with JSON.parse on every value whose integers are safe', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.boolean(), (value, indented) => {
        const text = JSON.stringify(value, null, indented ? 2 : 0);
        expect(
          JSON.parse(JSON.stringify(read(text), (_, each) => (typeof each === 'bigint' ? Number(each) : each))),
        ).toEqual(JSON.parse(text));
      }),
      { numRuns: 300, seed: 7 },
    );
  });

  it('refuses whatever JSON.parse refuses', () => {
    const broken = [
      '',
      '{',
      '[1,]',
      '{"a":1,}',
      '{a:1}',
      '01',
      '1.',
      '.5',
      '+1',
      '"\t"',
      '"\\x"',
      '"\\u12"',
      'nul',
      '[1 2]',
      '1 2',
      '"a',
      'NaN',
      '-',
      "'a'",
    ];
    for (const text of broken) {
      expect(() => JSON.parse(text), text).toThrow();
      expect(() => read(text), text).toThrow(JsonFault);
    }
  });

  it('keeps integers beyond 2^53 exact', () => {
    expect(read('[9007199254740993, 9007199254740992, -9007199254740993, 9007199254740991]')).toEqual([
      9007199254740993n,
      9007199254740992n,
      -9007199254740993n,
      9007199254740991,
    ]);
  });

  it('refuses a repeated key and says where it stands', () => {
    expect(faultOf('{"a":1,"b":{"c":2,"c":3}}')).toEqual({
      message: expect.stringContaining('"c" stands twice'),
      offset: 18,
    });
  });

  it('takes __proto__ and constructor as plain data', () => {
    const value = read('{"__proto__":{"tau":1},"constructor":2}') as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as { tau?: number }).tau).toBeUndefined();
  });

  it('refuses half of a surrogate pair but takes a whole one', () => {
    expect(read('"\\ud83d\\ude00"')).toBe('😀');
    expect(faultOf('{"q":"x\\ud83d y"}').offset).toBe(7);
    expect(faultOf('"\\uDE00"').message).toContain('surrogate');
  });

  it('refuses nesting that would overflow the stack', () => {
    expect(faultOf('['.repeat(100_000)).message).toContain('nested levels');
  });

  it('takes the NaN and Infinity of Python only when asked to', () => {
    expect(read('[NaN, Infinity, -Infinity, 1e999]', true)).toEqual([Number.NaN, Infinity, -Infinity, Infinity]);
    expect(faultOf('[1, Infinity]').offset).toBe(4);
    expect(faultOf('[1e999]').message).toContain('range of a double');
  });
});
