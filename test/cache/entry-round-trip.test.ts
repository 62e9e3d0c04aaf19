import { describe, expect, it } from 'vitest';
import { readEntry } from '../../src/cache/read-entry.js';
import { rowOf } from '../../src/numeric/ragged-rows.js';
import { temporaryFolder } from '../files/temporary-folder.js';
import { openWriter, testKey } from './cache-fixture.js';
import { testIds, testRow } from './test-ingredients.js';

describe('a cache entry', () => {
  it.each([1, 7, 8, 9, 518, 2565])('gives %i rows back as they were appended, failed rows as nulls', async (count) => {
    const cacheDir = temporaryFolder();
    const ids = testIds(count);
    const writer = await openWriter(cacheDir, testKey(), { ids });
    const rows = ids.map(testRow);
    await writer.append(rows.slice(0, 100));
    await writer.append(rows.slice(100));
    await writer.complete({ device: 'stub' }, '2026-01-01T00:00:00.000Z');
    const entry = await readEntry(cacheDir, testKey());
    if (entry.kind !== 'complete') throw new Error(entry.kind);
    const { table, manifest } = entry;
    expect(manifest).toMatchObject({ rows: count, failed: Math.floor(count / 5), facts: { device: 'stub' } });
    expect(table.ids).toEqual(ids);
    rows.forEach((row, n) => {
      const ok = row.status === 'ok';
      expect([...rowOf(table.logits, n)]).toEqual(ok ? [...(row.logits as Float32Array)] : []);
      expect(table.logZ[n]).toBe(ok ? row.logZ : Number.NaN);
      expect(table.optionMass[n]).toBe(ok ? row.optionMass : Number.NaN);
      expect(table.promptTokens[n]).toBe(row.promptTokens);
      expect(table.status[n]).toBe(ok ? 1 : 0);
      expect(table.reasons[n]).toBe(ok ? null : row.reason);
    });
  });

  it('keeps ids exact that round to one number, and any other text', async () => {
    const cacheDir = temporaryFolder();
    const ids = ['9007199254740993', '9007199254740992', '\ufeffid', 'ü/..\u2028', '😀', ' '];
    const writer = await openWriter(cacheDir, testKey(), { ids });
    await writer.append(ids.map((id) => testRow(id, 0)));
    const { table } = await writer.complete({}, '2026-01-01T00:00:00.000Z');
    expect(table.ids).toEqual(ids);
  });

  it('has the same bytes in whatever order and groups the rows came', async () => {
    const ids = testIds(40);
    const checksums = await Promise.all(
      [1, 7, 40].map(async (group) => {
        const writer = await openWriter(temporaryFolder(), testKey(), { ids });
        const rows = ids.map(testRow);
        if (group === 7) rows.reverse();
        for (let start = 0; start < rows.length; start += group) await writer.append(rows.slice(start, start + group));
        return (await writer.complete({}, '2026-01-01T00:00:00.000Z')).manifest.checksum;
      }),
    );
    expect(new Set(checksums).size).toBe(1);
  });

  it.each([
    ['NaN', { logits: [Number.NaN, 1] }],
    ['infinity', { logits: [1, Number.NEGATIVE_INFINITY] }],
    ['a number that float32 cannot hold', { logits: [1, 1e39] }],
    ['a missing number', { logits: [1, undefined as unknown as number] }],
    ['a single logit', { logits: [1] }],
    ['an id that no file can store', { id: '\ud800' }],
    ['an infinite logZ', { logZ: Number.POSITIVE_INFINITY }],
    ['an id of no example', { id: 'other' }],
  ])('refuses %s in a row, and stores nothing of the batch', async (_, change) => {
    const cacheDir = temporaryFolder();
    const ids = ['a', 'b', '\ud800'];
    const writer = await openWriter(cacheDir, testKey(), { ids });
    const row = {
      status: 'ok' as const,
      id: 'a',
      logits: [1, 2],
      logZ: 3,
      optionMass: 0.5,
      promptTokens: 4,
      ...change,
    };
    await expect(writer.append([{ ...row, id: 'b', logits: [1, 2], logZ: 1 }, row])).rejects.toMatchObject({
      code: 'internal',
    });
    expect(writer.completedIds().size).toBe(0);
    expect(await readEntry(cacheDir, testKey())).toEqual({ kind: 'missing' });
  });

  it('refuses a row that was scored before, but lets a failed row be scored again', async () => {
    const ids = testIds(5);
    const writer = await openWriter(temporaryFolder(), testKey(), { ids });
    await writer.append(ids.map(testRow));
    expect([...writer.failedIds()]).toEqual([ids[4]]);
    await expect(writer.append([testRow(ids[0]!, 0)])).rejects.toThrow('scored twice');
    await writer.append([testRow(ids[4]!, 0)]);
    expect([...writer.failedIds()]).toEqual([]);
    await expect(writer.append([testRow(ids[4]!, 0)])).rejects.toThrow('scored twice');
    const { table } = await writer.complete({}, '2026-01-01T00:00:00.000Z');
    expect([...table.status]).toEqual([1, 1, 1, 1, 1]);
  });

  it('does not complete while an id has no row', async () => {
    const ids = testIds(3);
    const writer = await openWriter(temporaryFolder(), testKey(), { ids });
    await writer.append([testRow(ids[0]!, 0)]);
    await expect(writer.complete({}, 'now')).rejects.toThrow(
      '2 of 3 rows were not scored, the first is "question 00001"',
    );
  });

  it('is missing under any other key', async () => {
    const cacheDir = temporaryFolder();
    const writer = await openWriter(cacheDir, testKey(), { ids: ['a'] });
    await writer.append([testRow('a', 0)]);
    await writer.complete({}, 'now');
    expect(await readEntry(cacheDir, testKey({ modelHash: 'e'.repeat(64) }))).toEqual({ kind: 'missing' });
  });
});
