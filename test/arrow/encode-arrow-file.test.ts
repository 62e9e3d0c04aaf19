import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ArrowColumns } from '../../src/arrow/arrow-column.js';
import { decodeArrowFile } from '../../src/arrow/decode-arrow-file.js';
import { encodeArrowFile } from '../../src/arrow/encode-arrow-file.js';
import { raggedRows } from '../../src/numeric/ragged-rows.js';

function columns(count: number): ArrowColumns {
  const rows = Array.from({ length: count }, (_, n) => n);
  const nulls = Uint8Array.from(rows, (n) => (n % 3 === 1 ? 1 : 0));
  const lists = raggedRows(rows.map((n) => (n % 3 === 1 ? [] : Array.from({ length: n % 5 }, (_, k) => n + k / 8))));
  return {
    id: { type: 'utf8', values: rows.map((n) => (n % 7 === 2 ? null : n % 2 ? `é${n}` : `${n}`)) },
    ascii: { type: 'utf8', values: rows.map(String) },
    small: { type: 'uint8', values: Uint8Array.from(rows), nulls },
    whole: { type: 'int32', values: Int32Array.from(rows, (n) => -n), nulls },
    real: { type: 'float64', values: Float64Array.from(rows, (n) => n / 3), nulls },
    single: { type: 'list<float32>', rows: lists, nulls },
    double: { type: 'list<float64>', rows: lists, nulls },
  };
}

describe('encodeArrowFile', () => {
  it.each([2, 7, 8, 9, 518, 2565, 65_536, 65_537, 140_000])(
    'keeps all %i rows, over every border of a batch',
    (count) => {
      const written = columns(count);
      const read = decodeArrowFile(encodeArrowFile(written));
      expect(Object.keys(read)).toEqual(Object.keys(written));
      for (const [name, column] of Object.entries(written)) {
        // Node's own comparison: vitest takes seconds for a column of this length.
        const { nulls: nullsRead, ...valuesRead } = read[name]! as { nulls?: Uint8Array };
        const { nulls, ...values } = column as { nulls?: Uint8Array };
        expect(isDeepStrictEqual(valuesRead, values), name).toBe(true);
        if (name !== 'id') expect(isDeepStrictEqual(nullsRead, nulls), `nulls of ${name}`).toBe(true);
      }
    },
  );

  it('has no row, an empty column or only nulls without losing the schema', () => {
    for (const count of [0, 1]) {
      const read = decodeArrowFile(encodeArrowFile({ id: { type: 'utf8', values: new Array(count).fill(null) } }));
      expect(read).toMatchObject({ id: { type: 'utf8', values: new Array(count).fill(null) } });
    }
  });

  it('writes the same columns as the same bytes', () => {
    expect(Buffer.from(encodeArrowFile(columns(100))).equals(encodeArrowFile(columns(100)))).toBe(true);
  });

  it('refuses columns of different lengths', () => {
    const uneven: ArrowColumns = {
      a: { type: 'int32', values: new Int32Array(2) },
      b: { type: 'int32', values: new Int32Array(3) },
    };
    expect(() => encodeArrowFile(uneven)).toThrow('column b has 3 rows, not 2');
  });
});
