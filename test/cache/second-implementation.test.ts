import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableFromIPC } from '@uwdata/flechette';
import { describe, expect, it } from 'vitest';
import type { ModelRow } from '../../src/scoring/scored-row.js';
import { temporaryFolder } from '../files/temporary-folder.js';
import { openWriter, testKey } from './cache-fixture.js';
import { expectedColumns, expectedReply } from './expected-columns.js';
import { testIds, testReply, testRow } from './test-ingredients.js';

/** Rows as another Arrow library reads them from the file of a complete entry. */
async function readElsewhere(rows: readonly ModelRow[]): Promise<unknown[]> {
  const cacheDir = temporaryFolder();
  const key = testKey();
  const writer = await openWriter(cacheDir, key, { ids: rows.map(({ id }) => id) });
  await writer.append(rows);
  await writer.complete({}, '2026-01-01T00:00:00.000Z');
  const table = tableFromIPC(new Uint8Array(readFileSync(join(cacheDir, `${key.name}.arrow`))));
  expect(table.numRows).toBe(rows.length);
  const plain = (value: unknown) => (ArrayBuffer.isView(value) ? Array.from(value as Float32Array) : value);
  return table.toArray().map((row) => Object.fromEntries(table.names.map((name) => [name, plain(row[name])])));
}

describe('the Arrow file of an entry, read by another implementation (flechette)', () => {
  it.each([1, 7, 8, 9, 518, 2565])('has the same %i rows of scores in every column, nulls included', async (count) => {
    const rows = testIds(count).map(testRow);
    expect(await readElsewhere(rows)).toEqual(rows.map(expectedColumns));
  });

  it.each([1, 7, 8, 9, 518])('has the same %i rows of replies in every column, nulls included', async (count) => {
    const rows = testIds(count).map(testReply);
    expect(await readElsewhere(rows)).toEqual(rows.map((row) => ({ ...expectedColumns(row), ...expectedReply(row) })));
  });
});
