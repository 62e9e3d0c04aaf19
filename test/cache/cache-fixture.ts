import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { EntryWriter } from '../../src/cache/entry-writer.js';
import { type EntryKey, entryKey, type FileKeyIngredients } from '../../src/cache/key/entry-key.js';
import { type OpenEntryOptions, openEntry } from '../../src/cache/open-entry.js';
import type { ModelRow } from '../../src/contract/scored-row.js';
import { temporaryFolder } from '../files/temporary-folder.js';
import { testIds, testIngredients } from './test-ingredients.js';

export function testKey(changes: Partial<FileKeyIngredients> = {}): EntryKey {
  return entryKey({ ...testIngredients, ...changes });
}

/** Opens an entry that must not be complete; its lock is given back when the test ends. */
export async function openWriter(cacheDir: string, key: EntryKey, options: OpenEntryOptions): Promise<EntryWriter> {
  const opened = await openEntry(cacheDir, key, options);
  if (opened.kind !== 'open') throw new Error('the entry is complete already');
  onTestFinished(() => opened.writer.release());
  return opened.writer;
}

/** The folder as a killed run leaves it. The locks go, since their owner (this process) is alive. */
export function snapshotOf(cacheDir: string): string {
  const copy = temporaryFolder();
  copyAll(cacheDir, copy);
  for (const name of readdirSync(copy)) {
    if (name.endsWith('.lock') || name.endsWith('.owner')) rmSync(join(copy, name), { recursive: true });
  }
  return copy;
}

/** A part that gets its name while the folder is copied is gone under its temporary one: the copy begins again. */
function copyAll(from: string, to: string, attempts = 20): void {
  try {
    cpSync(from, to, { recursive: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempts === 0) throw error;
    rmSync(to, { recursive: true });
    copyAll(from, to, attempts - 1);
  }
}

/** Damaged copies of a file: every proper prefix, then copies with one byte changed, then one byte too many. */
export function* damagedCopies(good: Buffer, flips: number): Generator<Buffer> {
  for (let length = 0; length < good.length; length++) yield good.subarray(0, length);
  let state = 12345;
  const next = (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  for (let n = 0; n < flips; n++) {
    const copy = Buffer.from(good);
    const position = next(copy.length);
    copy[position]! ^= 1 + next(255);
    yield copy;
  }
  yield Buffer.concat([good, Buffer.from([0])]);
}

/** A clock that goes on by a second whenever it is read, and waits that take no time. */
export function fastClock() {
  let milliseconds = 0;
  const now = () => {
    milliseconds += 1000;
    return milliseconds;
  };
  return { now, pollMs: 1 };
}

/** A cache folder in which an entry of nine rows has the first `count` of them in one part, and no run holds it. */
export async function partialEntry(
  key: EntryKey,
  row: (id: string, n: number) => ModelRow,
  { count = 9, cacheDir = temporaryFolder() } = {},
): Promise<string> {
  const ids = testIds(9);
  const writer = await openWriter(cacheDir, key, { ids });
  await writer.append(ids.slice(0, count).map(row));
  await writer.release();
  return cacheDir;
}

/** A cache folder with one finished entry. */
export async function completeEntry(
  key: EntryKey,
  row: (id: string, n: number) => ModelRow,
  count = 9,
): Promise<string> {
  const cacheDir = temporaryFolder();
  const ids = testIds(count);
  const writer = await openWriter(cacheDir, key, { ids });
  await writer.append(ids.map(row));
  await writer.complete({ device: 'stub' }, '2026-01-01T00:00:00.000Z');
  await writer.release();
  return cacheDir;
}
