import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { entryWriter } from '../../src/cache/entry-writer.js';
import { entryFiles } from '../../src/cache/key/entry-files.js';
import { tryLockEntry } from '../../src/cache/lock/entry-lock.js';
import { openEntry } from '../../src/cache/open-entry.js';
import { listParts, readParts } from '../../src/cache/parts/part-files.js';
import { readEntry } from '../../src/cache/read-entry.js';
import { sweepFinishedEntries } from '../../src/cache/stale-files.js';
import { SupportCalError } from '../../src/errors/supportcal-error.js';
import { temporaryFolder } from '../files/temporary-folder.js';
import { openWriter, snapshotOf, testKey } from './cache-fixture.js';
import { testIds, testRow } from './test-ingredients.js';

const ids = testIds(23);
const rows = ids.map(testRow);
const key = testKey();
const batch = 5;
const CREATED = '2026-01-01T00:00:00.000Z';

/** Scores what is not on disk yet; returns how many rows that were. */
async function scoreRest(cacheDir: string, messages: string[] = []): Promise<number> {
  const writer = await openWriter(cacheDir, key, { ids, onMessage: (message) => messages.push(message) });
  const open = rows.filter((row) => !writer.completedIds().has(row.id));
  for (let start = 0; start < open.length; start += batch) await writer.append(open.slice(start, start + batch));
  await writer.complete({}, CREATED);
  await writer.release();
  return open.length;
}

const arrowOf = (cacheDir: string): Buffer => readFileSync(join(cacheDir, `${key.name}.arrow`));

/** The bytes of a run that nobody disturbed. */
async function wholeRun(): Promise<Buffer> {
  const cacheDir = temporaryFolder();
  await scoreRest(cacheDir);
  return arrowOf(cacheDir);
}

describe('the writer of an entry', () => {
  it('says what the model was found to be as soon as it is kept, and after the entry was opened again', async () => {
    const cacheDir = temporaryFolder();
    const writer = await openWriter(cacheDir, key, { ids });
    expect(writer.facts()).toBeNull();
    await writer.append(rows.slice(0, batch));
    await writer.keepFacts({ layers: 12 });
    expect(writer.facts()).toEqual({ layers: 12 });
    await writer.release();
    expect((await openWriter(cacheDir, key, { ids })).facts()).toEqual({ layers: 12 });
  });

  it('does not complete it when a part was changed meanwhile, and names the part', async () => {
    const cacheDir = temporaryFolder();
    const first = await openWriter(cacheDir, key, { ids });
    await first.append(rows);
    await first.release();
    const writer = await openWriter(cacheDir, key, { ids });
    const { parts } = entryFiles(cacheDir, key);
    const [part] = await listParts(parts);
    writeFileSync(join(parts, part?.fileName ?? ''), 'changed');
    await expect(writer.complete({}, CREATED)).rejects.toMatchObject({
      code: 'cache-damaged',
      faults: [{ file: join(parts, part?.fileName ?? ''), message: expect.stringContaining('run again') }],
    });
  });

  it('finds parts in the order of their numbers, those of one number in the order of their names', async () => {
    const folder = temporaryFolder();
    const names = ['c', '1', 'e', '0', 'a', 'f', '9', 'b'].map((digit) => `1000000-1-${digit.repeat(32)}.arrow`);
    for (const name of names) writeFileSync(join(folder, name), '');
    writeFileSync(join(folder, `999999-1-${'f'.repeat(32)}.arrow`), '');
    const found = (await listParts(folder)).map(({ fileName }) => fileName);
    expect(found).toEqual([`999999-1-${'f'.repeat(32)}.arrow`, ...names.sort()]);
  });
});

describe('a run that was killed', () => {
  it.each([0, 1, 2, 3, 4, 5])('after %i batches goes on from there and ends with the same bytes', async (done) => {
    const cacheDir = temporaryFolder();
    const writer = await openWriter(cacheDir, key, { ids });
    for (let n = 0; n < done; n++) await writer.append(rows.slice(n * batch, (n + 1) * batch));
    const killed = snapshotOf(cacheDir);
    const onDisk = Math.min(done * batch, ids.length);
    const state = await readEntry(killed, key);
    expect(state.kind === 'partial' ? state.ids.length : 0).toBe(onDisk);
    expect(await scoreRest(killed)).toBe(ids.length - onDisk);
    expect(arrowOf(killed).equals(await wholeRun())).toBe(true);
    expect(readdirSync(killed).sort()).toEqual([`${key.name}.arrow`, `${key.name}.json`]);
  });

  it('before the manifest was written scores nothing again', async () => {
    const cacheDir = temporaryFolder();
    const writer = await openWriter(cacheDir, key, { ids });
    await writer.append(rows);
    const killed = snapshotOf(cacheDir);
    await writer.complete({}, CREATED);
    cpSync(join(cacheDir, `${key.name}.arrow`), join(killed, `${key.name}.arrow`));
    writeFileSync(join(killed, `.${key.name}.json.99-abc.tmp`), '{"half');
    expect((await readEntry(killed, key)).kind).toBe('partial');
    expect(await scoreRest(killed)).toBe(0);
    expect(arrowOf(killed).equals(await wholeRun())).toBe(true);
    expect(readdirSync(killed).sort()).toEqual([`${key.name}.arrow`, `${key.name}.json`]);
  });

  it('while the parts were removed is complete, and opening it removes the rest', async () => {
    const cacheDir = temporaryFolder();
    const writer = await openWriter(cacheDir, key, { ids });
    await writer.append(rows);
    const parts = snapshotOf(cacheDir);
    await writer.complete({}, CREATED);
    const killed = snapshotOf(cacheDir);
    cpSync(join(parts, `${key.name}.parts`), join(killed, `${key.name}.parts`), { recursive: true });
    expect((await readEntry(killed, key)).kind).toBe('complete');
    const swept = snapshotOf(killed);
    expect((await openEntry(killed, key, { ids })).kind).toBe('complete');
    expect(existsSync(join(killed, `${key.name}.parts`))).toBe(false);
    await sweepFinishedEntries(swept);
    expect(readdirSync(swept).sort()).toEqual([`${key.name}.arrow`, `${key.name}.json`]);
  });

  it('before it gave back its lock leaves it for the next one, which removes it', async () => {
    const cacheDir = temporaryFolder();
    const writer = await openWriter(cacheDir, key, { ids });
    await writer.append(rows);
    await writer.complete({}, CREATED);
    const killed = snapshotOf(cacheDir);
    const target = join(killed, key.name);
    const lock = (await tryLockEntry(target))!;
    onTestFinished(() => lock.release());
    const owner = JSON.parse(readFileSync(`${target}.owner`, 'utf8'));
    writeFileSync(`${target}.owner`, JSON.stringify({ ...owner, pid: 2 ** 22 + 1 }));
    expect(readdirSync(killed).sort()).toEqual(['.arrow', '.json', '.lock', '.owner'].map((end) => key.name + end));
    await sweepFinishedEntries(killed);
    expect(readdirSync(killed).sort()).toEqual([`${key.name}.arrow`, `${key.name}.json`]);
    // A note whose lock the process took away as it exited.
    writeFileSync(`${target}.owner`, '{}');
    await sweepFinishedEntries(killed);
    expect(readdirSync(killed).sort()).toEqual([`${key.name}.arrow`, `${key.name}.json`]);
  });

  it('keeps its parts for the rebuilding of an entry that is damaged', async () => {
    const cacheDir = temporaryFolder();
    const writer = await openWriter(cacheDir, key, { ids });
    await writer.append(rows);
    const killed = snapshotOf(cacheDir);
    await writer.complete({}, CREATED);
    writeFileSync(join(killed, `${key.name}.json`), '{');
    await sweepFinishedEntries(killed);
    expect(await scoreRest(killed)).toBe(0);
    expect(arrowOf(killed).equals(await wholeRun())).toBe(true);
  });

  it('with a damaged part scores the rows of that part again and names it', async () => {
    const cacheDir = temporaryFolder();
    const writer = await openWriter(cacheDir, key, { ids });
    for (let n = 0; n < 3; n++) await writer.append(rows.slice(n * batch, (n + 1) * batch));
    await writer.release();
    const killed = snapshotOf(cacheDir);
    const folder = join(killed, `${key.name}.parts`);
    const part = readdirSync(folder)
      .filter((name) => name.endsWith('.arrow'))
      .sort()[1]!;
    writeFileSync(join(folder, part), readFileSync(join(folder, part)).subarray(0, 100));
    const messages: string[] = [];
    expect(await scoreRest(killed, messages)).toBe(ids.length - 2 * batch);
    expect(messages).toEqual([expect.stringContaining(part)]);
    expect(arrowOf(killed).equals(await wholeRun())).toBe(true);
  });

  it('can be told to start anew', async () => {
    const cacheDir = temporaryFolder();
    await scoreRest(cacheDir);
    const writer = await openWriter(cacheDir, key, { ids, refresh: true });
    expect(writer.completedIds().size).toBe(0);
    expect(await readEntry(cacheDir, key)).toEqual({ kind: 'missing' });
  });
});

describe('a run that lost its lock', () => {
  /** A writer whose lock counts as lost as soon as `lost` says so. */
  async function writerThatLoses(lost: (files: ReturnType<typeof entryFiles>) => boolean) {
    const files = entryFiles(temporaryFolder(), key);
    const assertHeld = async () => {
      if (lost(files)) throw new SupportCalError('cache-busy', 'lost');
    };
    const lock = { assertHeld, release: async () => undefined };
    const parts = await readParts(files.parts);
    return { files, writer: entryWriter({ files, key, lock, ids, parts, facts: null }) };
  }
  const busy = { code: 'cache-busy' };
  const partNames = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.arrow'));

  it('while rows were evaluated adds no part and no facts', async () => {
    const { files, writer } = await writerThatLoses(({ parts }) => existsSync(parts));
    await writer.append(rows.slice(0, batch));
    await expect(writer.append(rows.slice(batch, 2 * batch))).rejects.toMatchObject(busy);
    await expect(writer.keepFacts({ device: 'stub' })).rejects.toMatchObject(busy);
    await writer.release();
    expect(readdirSync(files.parts)).toEqual(partNames(files.parts));
    expect(partNames(files.parts)).toHaveLength(1);
  });

  it('as the rows were written gives them no name', async () => {
    const { files, writer } = await writerThatLoses(({ arrow }) =>
      readdirSync(dirname(arrow)).some((name) => name.startsWith(`.${basename(arrow)}.`)),
    );
    await writer.append(rows);
    await expect(writer.complete({}, CREATED)).rejects.toMatchObject(busy);
    expect(readdirSync(dirname(files.arrow))).toEqual([basename(files.parts)]);
  });

  it('as the rows got their name writes no manifest', async () => {
    const { files, writer } = await writerThatLoses(({ arrow }) => existsSync(arrow));
    await writer.append(rows);
    await expect(writer.complete({}, CREATED)).rejects.toMatchObject(busy);
    expect([existsSync(files.manifest), partNames(files.parts).length]).toEqual([false, 1]);
  });

  it('as the manifest got its name leaves the parts, which may be of the next run', async () => {
    const { files, writer } = await writerThatLoses(({ manifest }) => existsSync(manifest));
    await writer.append(rows);
    await expect(writer.complete({}, CREATED)).rejects.toMatchObject(busy);
    expect(partNames(files.parts)).toHaveLength(1);
  });
});
