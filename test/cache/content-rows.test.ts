import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkContentRows, findEarlierRows, type RowContents, writeContentRows } from '../../src/cache/content-rows.js';
import type { EntryKey } from '../../src/cache/key/entry-key.js';
import type { ScoredRow } from '../../src/contract/scored-row.js';
import { temporaryFolder } from '../files/temporary-folder.js';
import { openWriter, testKey } from './cache-fixture.js';
import { testIds, testRow } from './test-ingredients.js';

const ids = testIds(6);
const contents = (changes: Partial<RowContents> = {}): RowContents => ({
  rest: 'r',
  sharing: 's',
  byId: new Map(ids.map((id) => [id, `asked ${id}`])),
  ...changes,
});
const ALONE = { backend: 'cpu', selfCheck: { tolerance: 0, maxDifference: 0 } };

/** An entry with its list of rows, made of another version of the data set; the fifth row failed. */
async function earlier(cacheDir: string, key: EntryKey, { facts = ALONE as object, given = contents() } = {}) {
  const writer = await openWriter(cacheDir, key, { ids });
  await writer.append(ids.map(testRow));
  const { manifest } = await writer.complete(facts, '2026-01-01T00:00:00.000Z');
  await writer.release();
  await writeContentRows(cacheDir, manifest, ids, given);
}

const old = testKey({ datasetHash: 'd'.repeat(64) });

describe('rows of an earlier entry', () => {
  it('are those that are asked the same now, under the ids that they have now, without failures', async () => {
    const cacheDir = temporaryFolder();
    await earlier(cacheDir, old);
    const byId = new Map([
      ...[0, 2, 4].map((n): [string, string] => [`new ${n}`, `asked ${ids[n]}`]),
      ['another', 'asked nobody'],
    ]);
    const found = await findEarlierRows(cacheDir, testKey(), contents({ byId }));
    expect([found?.entry, found?.ids]).toEqual([old.name, ['new 0', 'new 2', 'new 4']]);
    const read = await found?.read();
    expect(read?.facts).toEqual(ALONE);
    // The row of `new 4` failed in that run.
    const plain = (row: ScoredRow) => (row.status === 'ok' ? { ...row, logits: Array.from(row.logits) } : row);
    expect(read?.rows.map(plain)).toEqual([0, 2].map((n) => plain(testRow(`new ${n}`, n))));
    expect(await checkContentRows(cacheDir)).toEqual([]);
  });

  it('are taken from the entry with most of them, never from the entry itself', async () => {
    const cacheDir = temporaryFolder();
    expect(await findEarlierRows(path.join(cacheDir, 'missing'), testKey(), contents())).toBe(null);
    const few = testKey({ datasetHash: 'e'.repeat(64) });
    await earlier(cacheDir, few, { given: contents({ byId: new Map([[ids[0]!, `asked ${ids[0]}`]]) }) });
    await earlier(cacheDir, old);
    await earlier(cacheDir, testKey({ datasetHash: 'f'.repeat(64) }), {
      given: contents({ byId: new Map([[ids[1]!, `asked ${ids[1]}`]]) }),
    });
    expect((await findEarlierRows(cacheDir, testKey(), contents()))?.entry).toBe(old.name);
    expect((await findEarlierRows(cacheDir, old, contents()))?.entry).not.toBe(old.name);
    const none = contents({ byId: new Map([['x', 'asked nobody']]) });
    expect(await findEarlierRows(cacheDir, testKey(), none)).toBe(null);
  });

  it.each<[string, { facts?: object; given?: RowContents }]>([
    ['of another model or way of asking', { given: contents({ rest: 'other' }) }],
    ['that share other tokens', { given: contents({ sharing: 'other' }) }],
    ['of a card', { facts: { ...ALONE, backend: 'cuda' } }],
    ['that differ in company', { facts: { ...ALONE, selfCheck: { tolerance: 0, maxDifference: 1e-9 } } }],
    ['that were allowed to differ', { facts: { ...ALONE, selfCheck: { tolerance: 1e-3, maxDifference: 0 } } }],
    ['that were not compared', { facts: { backend: 'cpu' } }],
  ])('are not taken from rows %s', async (_, made) => {
    const cacheDir = temporaryFolder();
    await earlier(cacheDir, old, made);
    expect(await findEarlierRows(cacheDir, testKey(), contents())).toBe(null);
  });

  it('are not taken from a list that is damaged, or that is of another file; the first is named', async () => {
    const cacheDir = temporaryFolder();
    await earlier(cacheDir, old);
    const list = path.join(cacheDir, `${old.name}.rows`);
    const sound = readFileSync(list, 'utf8');
    for (const text of [sound.replace('"r"', '"q"'), sound.slice(0, 40), '{}', '']) {
      writeFileSync(list, text);
      expect(await findEarlierRows(cacheDir, testKey(), contents())).toBe(null);
      expect(await checkContentRows(cacheDir)).toEqual([{ file: list, reason: expect.stringContaining('checksum') }]);
    }
    writeFileSync(list, sound);
    const table = path.join(cacheDir, readdirSync(cacheDir).find((name) => name.endsWith('.arrow'))!);
    const found = await findEarlierRows(cacheDir, testKey(), contents());
    writeFileSync(table, readFileSync(table).subarray(1));
    expect(await found?.read()).toBe(null);
    writeFileSync(path.join(cacheDir, `${old.name}.json`), '{}');
    expect(await findEarlierRows(cacheDir, testKey(), contents())).toBe(null);
  });
});
