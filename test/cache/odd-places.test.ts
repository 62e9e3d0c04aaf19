import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openEntry } from '../../src/cache/open-entry.js';
import { readEntry } from '../../src/cache/read-entry.js';
import { temporaryFolder } from '../files/temporary-folder.js';
import { completeEntry, openWriter, partialEntry, testKey } from './cache-fixture.js';
import { testIds, testRow } from './test-ingredients.js';

const key = testKey();
const ids = testIds(9);
const CREATED = '2026-01-01T00:00:00.000Z';

/** A folder on another file system, where a rename from the temporary folder fails with EXDEV; null: there is none. */
function otherDevice(): string | null {
  const { dev } = statSync(temporaryFolder());
  const place = ['/dev/shm', '/tmp', '/var/tmp'].find((each) => existsSync(each) && statSync(each).dev !== dev);
  if (place === undefined) return null;
  const folder = mkdtempSync(join(place, 'supportcal-tests-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function finish(cacheDir: string): Promise<readonly string[]> {
  const messages: string[] = [];
  const writer = await openWriter(cacheDir, key, { ids, onMessage: (message) => messages.push(message) });
  const left = ids.filter((id) => !writer.completedIds().has(id));
  await writer.append(left.map((id) => testRow(id, ids.indexOf(id))));
  await writer.complete({ device: 'stub' }, CREATED);
  await writer.release();
  return messages;
}

const bytesOf = (cacheDir: string) => readFileSync(join(cacheDir, `${key.name}.arrow`));
const expected = async () => bytesOf(await completeEntry(key, testRow));

describe('a cache folder that is a link to another file system', () => {
  it('is written, completed and read there, and locked under both of its names', async (context) => {
    const there = otherDevice();
    if (there === null) return context.skip('there is no second file system');
    const link = join(temporaryFolder(), 'cache');
    symlinkSync(there, link);
    const writer = await openWriter(link, key, { ids });
    await writer.append(ids.slice(0, 4).map(testRow));
    const stop = new AbortController();
    const second = openEntry(there, key, { ids, signal: stop.signal, onMessage: () => stop.abort() });
    await expect(second).rejects.toMatchObject({ code: 'interrupted' });
    await writer.release();
    await finish(link);
    expect(bytesOf(there).equals(await expected())).toBe(true);
    expect(readdirSync(there).sort()).toEqual([`${key.name}.arrow`, `${key.name}.json`]);
  });
});

describe('an entry whose files are links', () => {
  it('to another file system is read through them; once damaged it is made anew in the cache, and the other file stays', async (context) => {
    const there = otherDevice();
    if (there === null) return context.skip('there is no second file system');
    const cacheDir = await completeEntry(key, testRow);
    const [file, moved] = [join(cacheDir, `${key.name}.arrow`), join(there, 'moved.arrow')];
    const good = readFileSync(file);
    writeFileSync(moved, good);
    rmSync(file);
    symlinkSync(moved, file);
    expect((await readEntry(cacheDir, key)).kind).toBe('complete');
    writeFileSync(moved, good.subarray(1));
    expect(await finish(cacheDir)).toEqual([expect.stringContaining('is damaged')]);
    expect(bytesOf(cacheDir).equals(good)).toBe(true);
    expect(readFileSync(moved).equals(good.subarray(1))).toBe(true);
  });

  it('and parts that were moved to another file system are found, added to and joined', async (context) => {
    const there = otherDevice();
    if (there === null) return context.skip('there is no second file system');
    const cacheDir = temporaryFolder();
    const parts = join(cacheDir, `${key.name}.parts`);
    symlinkSync(there, parts);
    await partialEntry(key, testRow, { count: 4, cacheDir });
    expect(await readEntry(cacheDir, key)).toMatchObject({ kind: 'partial', ids: ids.slice(0, 4) });
    await finish(cacheDir);
    expect(bytesOf(cacheDir).equals(await expected())).toBe(true);
  });

  it('that lead nowhere or in a circle count as damage, and the next run makes the entry anew', async () => {
    for (const target of ['nowhere.arrow', `${key.name}.arrow`]) {
      const cacheDir = await completeEntry(key, testRow);
      const file = join(cacheDir, `${key.name}.arrow`);
      rmSync(file);
      symlinkSync(target, file);
      expect(await readEntry(cacheDir, key)).toMatchObject({ kind: 'damaged', file });
      await finish(cacheDir);
      expect(bytesOf(cacheDir).equals(await expected())).toBe(true);
    }
  });
});

describe('a cache folder that goes while a run writes into it', () => {
  it.each<[string, (cacheDir: string) => void]>([
    ['is deleted', (cacheDir) => rmSync(cacheDir, { recursive: true })],
    ['is moved away', (cacheDir) => renameSync(cacheDir, `${cacheDir}-moved`)],
  ])('because it %s ends the writing with what to do; the next run ends with the same bytes', async (_, lose) => {
    const cacheDir = join(temporaryFolder(), 'cache');
    const opened = await openEntry(cacheDir, key, { ids });
    if (opened.kind === 'complete') throw new Error('nothing to write');
    const { writer } = opened;
    await writer.append(ids.slice(0, 4).map(testRow));
    lose(cacheDir);
    await expect(writer.append(ids.slice(4).map(testRow))).rejects.toMatchObject({
      code: 'cache-busy',
      message: expect.stringContaining('run again to go on'),
    });
    // What was not on the disk yet cannot be put there any more.
    await writer.release().catch((error) => expect(error.message).toMatch(/folder was removed or moved away/));
    await finish(cacheDir);
    expect(bytesOf(cacheDir).equals(await expected())).toBe(true);
  });
});
