import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableFromIPC } from '@uwdata/flechette';
import { describe, expect, it } from 'vitest';
import type { ModelRow } from '../../src/contract/scored-row.js';
import { completeEntry, testKey } from './cache-fixture.js';
import { expectedColumns, expectedReply } from './expected-columns.js';
import { testIds, testReply, testRow } from './test-ingredients.js';

/** The rows of a complete entry as another Arrow library reads them from its file. */
async function readElsewhere(row: (id: string, n: number) => ModelRow, count: number): Promise<unknown[]> {
  const key = testKey();
  const cacheDir = await completeEntry(key, row, count);
  const table = tableFromIPC(new Uint8Array(readFileSync(join(cacheDir, `${key.name}.arrow`))));
  expect(table.numRows).toBe(count);
  const plain = (value: unknown) => (ArrayBuffer.isView(value) ? Array.from(value as Float32Array) : value);
  return table.toArray().map((row) => Object.fromEntries(table.names.map((name) => [name, plain(row[name])])));
}

describe('the Arrow file of an entry, read by another implementation (flechette)', () => {
  it.each([1, 7, 8, 9, 518, 2565])('has the same %i rows of scores in every column, nulls included', async (count) => {
    const rows = testIds(count).map(testRow);
    expect(await readElsewhere(testRow, count)).toEqual(rows.map(expectedColumns));
  });

  it.each([1, 7, 8, 9, 518])('has the same %i rows of replies in every column, nulls included', async (count) => {
    const rows = testIds(count).map(testReply);
    expect(await readElsewhere(testReply, count)).toEqual(
      rows.map((row) => ({ ...expectedColumns(row), ...expectedReply(row) })),
    );
  });
});
