import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeArrowFile } from '../../src/arrow/encode-arrow-file.js';
import { type Manifest, manifestText, parseManifest } from '../../src/cache/key/manifest.js';
import { listEntries, verifyEntries } from '../../src/cache/list-entries.js';
import { openEntry } from '../../src/cache/open-entry.js';
import { listParts, readParts, verifiedPart } from '../../src/cache/parts/part-files.js';
import { readEntry, verifiedTable } from '../../src/cache/read-entry.js';
import { columnsOf, scoreTable } from '../../src/cache/table/score-table.js';
import type { ModelRow } from '../../src/contract/scored-row.js';
import { temporaryFolder } from '../files/temporary-folder.js';
import { completeEntry, damagedCopies, openWriter, partialEntry, snapshotOf, testKey } from './cache-fixture.js';
import { testIds, testReply, testRow } from './test-ingredients.js';

const key = testKey();
const ids = testIds(9);

const FLIPS = 1000;

function isRefused(read: () => unknown): boolean {
  try {
    read();
    return false;
  } catch {
    return true;
  }
}

/** 3 x 3 logits, order by order; row 0 failed. */
function rotatedRow(id: string, n: number): ModelRow {
  const row = testRow(id, n);
  return row.status === 'ok'
    ? { ...row, logits: Float32Array.from({ length: 9 }, (_, k) => Math.fround(n / 7 + k)) }
    : row;
}

describe.each([
  ['scores', testKey(), testRow],
  ['replies', testKey({ scoringMode: 'elicitation-ensemble 1' }), testReply],
  ['scores under every order of the options', testKey({ scoringMode: 'rotations' }), rotatedRow],
] as const)('damage to an entry of %s', (_, key, row) => {
  it.each(['arrow', 'json'])(
    'of the kind .%s is found at every cut length and every flipped byte, and named',
    async (ending) => {
      const cacheDir = await completeEntry(key, row);
      const path = join(cacheDir, `${key.name}.${ending}`);
      const good = readFileSync(path);
      const manifest = parseManifest(readFileSync(join(cacheDir, `${key.name}.json`), 'utf8'));
      const verify = (bytes: Buffer) =>
        ending === 'json' ? parseManifest(bytes.toString()) : verifiedTable(bytes, manifest);
      let [found, copies, named] = [0, 0, 0];
      for (const bytes of damagedCopies(good, FLIPS)) {
        if (isRefused(() => verify(bytes))) found++;
        // Through the disk takes a hundred times as long.
        if (copies++ % 25 !== 0) continue;
        writeFileSync(path, bytes);
        const state = await readEntry(cacheDir, key);
        if (state.kind === 'damaged' && state.file === path) named++;
      }
      expect([found, named]).toEqual([good.length + FLIPS + 1, Math.ceil(copies / 25)]);
      writeFileSync(path, good);
      expect((await readEntry(cacheDir, key)).kind).toBe('complete');
    },
  );

  it('of a part is found at every cut length and every flipped byte', async () => {
    const folder = join(await partialEntry(key, row), `${key.name}.parts`);
    const [part] = await listParts(folder);
    const path = join(folder, part!.fileName);
    const good = readFileSync(path);
    let [found, copies, named] = [0, 0, 0];
    for (const bytes of damagedCopies(good, FLIPS)) {
      if (isRefused(() => verifiedPart(folder, part!, bytes))) found++;
      if (copies++ % 25 !== 0) continue;
      writeFileSync(path, bytes);
      const parts = await readParts(folder);
      if (parts.tables.length === 0 && parts.damaged.length === 1 && parts.damaged[0]!.file === path) named++;
    }
    expect([found, named]).toEqual([good.length + FLIPS + 1, Math.ceil(copies / 25)]);
    expect(isRefused(() => verifiedPart(folder, part!, good))).toBe(false);
  });
});

describe('damage to a cache file', () => {
  it('of the note that says what parts belong to is found at every cut length and every flipped byte', async () => {
    const cacheDir = temporaryFolder();
    const writer = await openWriter(cacheDir, key, { ids });
    await writer.append(ids.map(testRow));
    const path = join(cacheDir, `${key.name}.parts`, 'entry.json');
    const good = readFileSync(path);
    let found = 0;
    for (const bytes of damagedCopies(good, FLIPS)) {
      writeFileSync(path, bytes);
      const [entry] = await listEntries(cacheDir);
      if (entry!.state === 'damaged' && entry!.key === null && entry!.damaged[0]!.file === path) found++;
    }
    expect(found).toBe(good.length + FLIPS + 1);
    writeFileSync(path, good);
    expect(await listEntries(cacheDir)).toMatchObject([{ state: 'partial', rows: ids.length }]);
  });

  it('of a part that is not flushed yet is found too: such a part counts whole or not at all', async () => {
    const folder = join(await partialEntry(key, testRow), `${key.name}.parts`);
    const name = readdirSync(folder).find((each) => each.endsWith('.arrow'))!;
    const path = join(folder, `.${name}.12-0123456789ab.tmp`);
    renameSync(join(folder, name), path);
    const good = readFileSync(path);
    for (const bytes of damagedCopies(good, 50)) {
      writeFileSync(path, bytes);
      expect(await readParts(folder)).toEqual({ tables: [], damaged: [], nextSequence: 1 });
    }
    writeFileSync(path, good);
    expect((await readParts(folder)).tables.map((table) => table.ids)).toEqual([ids]);
  });

  it('such as a part of another entry, which is sound in itself, is found', async () => {
    const cacheDir = temporaryFolder();
    const other = testKey({ modelHash: 'd'.repeat(64) });
    await partialEntry(key, testRow, { count: 4, cacheDir });
    await partialEntry(other, testRow, { cacheDir });
    const [ours, theirs] = [key, other].map(({ name }) => join(cacheDir, `${name}.parts`));
    const name = readdirSync(theirs!).find((each) => each.endsWith('.arrow'))!;
    for (const as of [name, name.replace(/^\d+/, '000009')]) {
      copyFileSync(join(theirs!, name), join(ours!, as));
      const messages: string[] = [];
      const writer = await openWriter(cacheDir, key, { ids, onMessage: (message) => messages.push(message) });
      expect(messages).toEqual([expect.stringMatching(`${as} is damaged .*its rows are scored again`)]);
      expect([...writer.completedIds()]).toEqual(ids.slice(0, 4));
      await writer.release();
    }
  });

  it('such as a part whose name tells another number of rows is found, since lists count by the names', async () => {
    const cacheDir = await partialEntry(key, testRow);
    const folder = join(cacheDir, `${key.name}.parts`);
    const name = readdirSync(folder).find((each) => each.endsWith('.arrow'))!;
    renameSync(join(folder, name), join(folder, name.replace('-9-', '-8-')));
    expect(await readParts(folder)).toMatchObject({
      tables: [],
      damaged: [{ reason: 'the part holds 9 rows, not 8' }],
      nextSequence: 2,
    });
  });

  it.each<[string, (manifest: Manifest) => Manifest, RegExp]>([
    ['of a later version', (manifest) => ({ ...manifest, schemaVersion: 2 as 1 }), /unknown version 2/],
    ['that names other rows', (manifest) => ({ ...manifest, rows: 8, ok: 8 }), /holds 9 rows, not 8/],
    [
      'that names another model',
      (manifest) => ({ ...manifest, key: { ...manifest.key, model: 'another' } }),
      /names another key/,
    ],
    [
      'of another key under the name of this one',
      (manifest) => {
        const { hash, ingredients } = testKey({ modelHash: 'd'.repeat(64) });
        return { ...manifest, key: ingredients, keyHash: hash };
      },
      /belongs to another entry/,
    ],
    ['made under another name', (manifest) => ({ ...manifest, name: 'other' }), /made under another name/],
    ['that points elsewhere', (manifest) => ({ ...manifest, arrowFile: '../x.arrow' }), /points outside the cache/],
  ])('such as a manifest %s, its checksum made anew by hand, is found', async (_, change, reason) => {
    const cacheDir = await completeEntry(key, testRow);
    const path = join(cacheDir, `${key.name}.json`);
    writeFileSync(path, manifestText(change(parseManifest(readFileSync(path, 'utf8')))));
    expect(await readEntry(cacheDir, key)).toMatchObject({ kind: 'damaged', reason: expect.stringMatching(reason) });
  });

  it.each(['null', '[]', '3', '"text"'])('such as a manifest that is %s is found', (text) => {
    expect(() => parseManifest(text)).toThrow('the manifest is no object');
    expect(() => parseManifest(`${text},`)).toThrow('the manifest is cut or no JSON');
  });

  it('such as one number of a manifest that was edited by hand is found', async () => {
    const cacheDir = await completeEntry(key, testRow);
    const path = join(cacheDir, `${key.name}.json`);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"rows": 9', '"rows": 8'));
    expect(await readEntry(cacheDir, key)).toMatchObject({
      kind: 'damaged',
      file: path,
      reason: expect.stringContaining('checksum'),
    });
  });

  it('does not take parts of a later version for ours, be it their note or a column that says so', async () => {
    const cacheDir = await partialEntry(key, testRow, { count: 4 });
    const folder = join(cacheDir, `${key.name}.parts`);
    const note = join(folder, 'entry.json');
    const text = readFileSync(note, 'utf8');
    writeFileSync(note, text.replace('"schemaVersion": 1', '"schemaVersion": 2'));
    expect(await readParts(folder)).toMatchObject({
      tables: [],
      damaged: [{ reason: expect.stringContaining('unknown version 2') }],
    });
    writeFileSync(note, text);
    expect((await readParts(folder)).tables).toHaveLength(1);
    const bytes = encodeArrowFile({
      ...columnsOf(scoreTable(ids.slice(4).map(testRow)), 'float32'),
      scale: { type: 'float64', values: new Float64Array(5).fill(2) },
    });
    const checksum = createHash('sha256').update(`${key.name}.parts\n`).update(bytes).digest('hex').slice(0, 32);
    writeFileSync(join(folder, `000002-5-${checksum}.arrow`), bytes);
    const { tables, damaged } = await readParts(folder);
    expect([tables.length, damaged[0]!.reason]).toEqual([1, expect.stringContaining('"scale"')]);
    const again = await openWriter(cacheDir, key, { ids });
    expect([...again.completedIds()]).toEqual(ids.slice(0, 4));
  });

  it('such as a missing half is named', async () => {
    const cacheDir = await completeEntry(key, testRow);
    const other = snapshotOf(cacheDir);
    rmSync(join(cacheDir, `${key.name}.json`));
    expect(await readEntry(cacheDir, key)).toMatchObject({ kind: 'damaged', reason: 'the manifest is missing' });
    rmSync(join(other, `${key.name}.arrow`));
    expect(await readEntry(other, key)).toMatchObject({ kind: 'damaged', reason: 'the Arrow file is missing' });
  });

  it('rebuilds only that entry when it is opened for writing, and says so', async () => {
    const cacheDir = await completeEntry(key, testRow);
    const sound = testKey({ model: 'other' });
    const writer = await openWriter(cacheDir, sound, { ids: ['a'] });
    await writer.append([testRow('a', 0)]);
    await writer.complete({}, '2026-01-01T00:00:00.000Z');
    await writer.release();
    const path = join(cacheDir, `${key.name}.arrow`);
    const good = readFileSync(path);
    const untouched = () =>
      ['arrow', 'json'].map((ending) => statSync(join(cacheDir, `${sound.name}.${ending}`)).ctimeMs);
    const before = untouched();
    writeFileSync(path, good.subarray(1));
    const messages: string[] = [];
    const rebuilt = await openWriter(cacheDir, key, { ids, onMessage: (message) => messages.push(message) });
    expect(messages).toEqual([expect.stringContaining(`${path} is damaged`)]);
    await rebuilt.append(ids.map(testRow));
    await rebuilt.complete({ device: 'stub' }, '2026-01-01T00:00:00.000Z');
    expect(readFileSync(path).equals(good)).toBe(true);
    expect((await openEntry(cacheDir, sound, { ids: ['a'] })).kind).toBe('complete');
    expect(untouched()).toEqual(before);
  });

  it('shows in the list of entries by size, and by content when all bytes are verified', async () => {
    const cacheDir = await completeEntry(key, testRow);
    expect(await listEntries(cacheDir)).toMatchObject([
      {
        name: key.name,
        state: 'complete',
        key: { model: 'hf:org/repo:Q4_K_M', dataset: 'demo-facts' },
        rows: 9,
        failed: 1,
      },
    ]);
    const path = join(cacheDir, `${key.name}.arrow`);
    const bytes = readFileSync(path);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(path, bytes);
    expect(await listEntries(cacheDir)).toMatchObject([{ state: 'complete' }]);
    expect(await verifyEntries(cacheDir)).toMatchObject([{ state: 'damaged', damaged: [{ file: path }] }]);
    writeFileSync(path, bytes.subarray(8));
    const reasons = async () => (await listEntries(cacheDir)).flatMap(({ damaged }) => damaged);
    const reason = `the file has ${bytes.length - 8} bytes, not ${bytes.length}`;
    expect(await reasons()).toEqual([{ file: path, reason }]);
    rmSync(path);
    expect(await reasons()).toEqual([{ file: path, reason: 'the Arrow file is missing' }]);
  });

  it('does not hide entries that are not finished from the list', async () => {
    const cacheDir = temporaryFolder();
    const writer = await openWriter(cacheDir, key, { ids });
    await writer.append(ids.slice(0, 4).map(testRow));
    expect(await verifyEntries(cacheDir)).toMatchObject([
      { state: 'partial', rows: 4, key: { model: 'hf:org/repo:Q4_K_M' } },
    ]);
    expect(await listEntries(join(cacheDir, 'none'))).toEqual([]);
  });
});
