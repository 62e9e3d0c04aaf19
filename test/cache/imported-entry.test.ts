import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type ImportedEntry,
  importedDatasetHash,
  readImportedEntry,
  writeImportedEntry,
} from '../../src/cache/imported-entry.js';
import { listEntries } from '../../src/cache/list-entries.js';
import { removeEntry } from '../../src/cache/remove-entry.js';
import type { ScoredRow } from '../../src/contract/scored-row.js';
import { FileReader } from '../../src/files/file-reader.js';
import { rowOf } from '../../src/numeric/ragged-rows.js';
import { temporaryFolder } from '../files/temporary-folder.js';

const ok = (id: string, logits: number[]): ScoredRow => {
  return { status: 'ok', id, logits, logZ: Number.NaN, optionMass: Number.NaN, promptTokens: 0 };
};

function anImport(changes: Partial<ImportedEntry> = {}): ImportedEntry {
  return {
    model: 'M',
    dataset: 'd',
    rows: [
      ok('b', [0.1, 1e300, -1 / 3]),
      ok('a', [1, 2]),
      { status: 'failed', id: 'c', reason: 'NaN', promptTokens: 0 },
    ],
    labels: [2, null, 7],
    unit: 'logits',
    datasetHash: null,
    sourceHash: 'f'.repeat(64),
    createdAt: '2026-01-01T00:00:00.000Z',
    ...changes,
  };
}

describe('an import', () => {
  it('keeps float64 logits exactly, in the order given, with labels and -1 where there is none', async () => {
    const cacheDir = temporaryFolder();
    await writeImportedEntry(cacheDir, anImport());
    const entry = await readImportedEntry(cacheDir, { model: 'M', dataset: 'd' });
    if (entry.kind !== 'complete') throw new Error(entry.kind);
    expect(entry.table.ids).toEqual(['b', 'a', 'c']);
    expect([...rowOf(entry.table.logits, 0)]).toEqual([0.1, 1e300, -1 / 3]);
    expect([...entry.table.labels!]).toEqual([2, -1, 7]);
    expect(entry.table.logZ[0]).toBeNaN();
    expect(entry.manifest).toMatchObject({ rows: 3, ok: 2, facts: { unit: 'logits' } });
  });

  it('has no labels when the file had none', async () => {
    const cacheDir = temporaryFolder();
    await writeImportedEntry(cacheDir, anImport({ labels: [null, null, null] }));
    expect(await readImportedEntry(cacheDir, { model: 'M', dataset: 'd' })).toMatchObject({ table: { labels: null } });
  });

  it('replaces an earlier one and leaves nothing of it', async () => {
    const cacheDir = temporaryFolder();
    await writeImportedEntry(cacheDir, anImport());
    await writeImportedEntry(cacheDir, anImport({ rows: [ok('z', [3, 4])], labels: [0] }));
    await writeImportedEntry(cacheDir, anImport({ rows: [ok('z', [3, 4])], labels: [0] }));
    expect(await readImportedEntry(cacheDir, { model: 'M', dataset: 'd' })).toMatchObject({ table: { ids: ['z'] } });
    expect(readdirSync(cacheDir)).toHaveLength(2);
    expect(await listEntries(cacheDir)).toMatchObject([{ state: 'complete', key: { model: 'M' }, rows: 1 }]);
  });

  it('of another model, data set or spelling of the name is another entry', async () => {
    const cacheDir = temporaryFolder();
    await writeImportedEntry(cacheDir, anImport());
    for (const [model, dataset] of [
      ['m', 'd'],
      ['M', 'D'],
      ['M-', 'd'],
    ] as const) {
      expect(await readImportedEntry(cacheDir, { model, dataset })).toEqual({ kind: 'missing' });
    }
  });

  it('with faulty rows is refused whole, all rows named', async () => {
    const cacheDir = temporaryFolder();
    const rows = [ok('a', [1]), ok('b', [1, Number.NaN]), ok('c', [1, 2]), ok('c', [1, 2]), ok('d', [1, 2])];
    const refused = writeImportedEntry(cacheDir, anImport({ rows, labels: [null, null, 0, 1, 2] }));
    await expect(refused).rejects.toMatchObject({
      code: 'bad-input',
      faults: [{ row: 'a' }, { row: 'b' }, { row: 'c' }, { row: 'd' }],
    });
    expect(readdirSync(cacheDir)).toEqual([]);
    const single = (label: number) =>
      writeImportedEntry(cacheDir, anImport({ rows: [ok('a', [1, 2])], labels: [label] }));
    for (const label of [2, -1, 0.5])
      await expect(single(label)).rejects.toThrow(`label ${label} is not one of the 2 options (counted from 0)`);
    const short = writeImportedEntry(cacheDir, anImport({ labels: [0] }));
    await expect(short).rejects.toMatchObject({ code: 'internal', message: '3 rows came with 1 labels' });
    expect(readdirSync(cacheDir)).toEqual([]);
  });

  it('names the data set that it was checked against, if there was one', async () => {
    const cacheDir = temporaryFolder();
    expect(importedDatasetHash(await writeImportedEntry(cacheDir, anImport()))).toBeNull();
    const datasetHash = 'd'.repeat(64);
    expect(importedDatasetHash(await writeImportedEntry(cacheDir, anImport({ datasetHash })))).toBe(datasetHash);
  });

  it('is read once when nobody replaces it, and up to three times while others do', async () => {
    const cacheDir = temporaryFolder();
    for (const replacements of [0, 1, 2, 3]) {
      await writeImportedEntry(cacheDir, anImport());
      let reads = 0;
      const reader = new FileReader();
      const read = reader.read.bind(reader);
      reader.read = async (path) => {
        // The file that the manifest named is gone by the time that it is read.
        const rows = [ok(`replaced ${++reads}`, [1, 2])];
        if (reads <= replacements) await writeImportedEntry(cacheDir, anImport({ rows, labels: [0] }));
        return read(path);
      };
      const entry = await readImportedEntry(cacheDir, { model: 'M', dataset: 'd' }, reader);
      expect(reads).toBe(Math.min(replacements + 1, 3));
      if (replacements === 3) expect(entry).toMatchObject({ kind: 'damaged', reason: 'the Arrow file is missing' });
      else expect(entry).toMatchObject({ kind: 'complete', table: { ids: { length: replacements === 0 ? 3 : 1 } } });
    }
  });

  it('keeps a group of each row where one has a group, and no column where none has', async () => {
    const cacheDir = temporaryFolder();
    for (const groups of [
      [null, 'g', null],
      [null, null, null],
    ]) {
      await writeImportedEntry(cacheDir, anImport({ groups }));
      const entry = await readImportedEntry(cacheDir, { model: 'M', dataset: 'd' });
      const kept = entry.kind === 'complete' ? entry.table.groups : null;
      expect(kept).toEqual(groups.includes('g') ? groups : undefined);
    }
  });

  it('is removed with its scores, and nothing of an entry whose name goes on from its own', async () => {
    const cacheDir = temporaryFolder();
    const { name } = await writeImportedEntry(cacheDir, anImport());
    const others = [`${name}2.0123456789ab.arrow`, `of ${name}.arrow`, `${name}.txt`];
    for (const other of others) writeFileSync(join(cacheDir, other), '');
    expect(await removeEntry(cacheDir, name)).toBe(true);
    expect(readdirSync(cacheDir).sort()).toEqual(others.sort());
  });
});
