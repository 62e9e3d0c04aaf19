import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeInThread } from '../../src/formats/decode-in-thread.js';
import { JsonReader } from '../../src/formats/json/parse-json.js';
import type { RowObject, RowValue } from '../../src/formats/row/source-row.js';

const fixture = (name: string) => path.join(import.meta.dirname, '..', 'fixtures', 'tables', name);
const LIMITS = { milliseconds: 120_000, mebibytes: 1_024 };

/** The cells of each column of a binary table; numbers that JSON does not have as text. */
async function columnsOf(name: string, format: string): Promise<Record<string, RowValue[]>> {
  const columns: Record<string, RowValue[]> = {};
  for await (const batch of decodeInThread({ path: fixture(name), shown: name }, format, LIMITS)) {
    for (const { values } of batch)
      for (const [column, value] of Object.entries(values)) {
        columns[column] = [...(columns[column] ?? []), jsonValue(value)];
      }
  }
  return columns;
}

function jsonValue(value: RowValue): RowValue {
  return typeof value === 'number' && !Number.isFinite(value) ? `${value}`.replace('Infinity', 'inf') : value;
}

/** What the script that wrote the tables says of their cells, with integers beyond 2^53 as bigint. */
function written(name: string): RowObject {
  return new JsonReader(readFileSync(fixture(name), 'utf8')).readAll() as RowObject;
}

describe('one table of every type, written by pyarrow', () => {
  it.each([
    ['every-type.parquet', 'parquet'],
    ['every-type.arrow', 'arrow'],
    ['every-type.arrows', 'arrow'],
    ['arrow-only.arrow', 'arrow'],
    ['arrow-only.arrows', 'arrow'],
  ])('%s has the same values', async (name, format) => {
    const columns = await columnsOf(name, format);
    const expected = written(`${path.parse(name).name}.json`);
    expect(Object.keys(columns)).toEqual(Object.keys(expected));
    for (const [column, cells] of Object.entries(expected)) expect([column, columns[column]]).toEqual([column, cells]);
  });
});
