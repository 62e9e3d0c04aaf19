import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder } from '../files/busy-files.js';
import { isAbandoned, TEMPORARY_NAME } from '../files/temporary-path.js';
import { type EntryFiles, entryFiles, removeTemporaryFiles } from './key/entry-files.js';
import type { ListedEntry } from './list-entries.js';
import { looksStale, tryLockEntry } from './lock/entry-lock.js';
import { readComplete } from './read-entry.js';

/** A file that killed runs left behind and that no entry uses. */
export interface StaleFile {
  readonly file: string;
  readonly what: string;
}

const BACKENDS = /^backends\.json\.\d+\.tmp$/;
const LOCK = /-[0-9a-f]{12}(\.takeover)?\.lock$/;
const OWNER = /-[0-9a-f]{12}\.owner$/;
/** What lies beside an entry while a run holds it. */
const OF_A_RUN = /^(.+-[0-9a-f]{12})\.(parts|lock|owner)$/;

/** Stale files of a cache folder. Files whose names no run of ours gives are not looked at. */
export async function listStaleFiles(cacheDir: string, entries: readonly ListedEntry[]): Promise<StaleFile[]> {
  const found: StaleFile[] = [];
  const fileNames = await readdir(cacheDir).catch(() => [] as string[]);
  for (const fileName of fileNames) {
    const file = join(cacheDir, fileName);
    const isTemporary = TEMPORARY_NAME.test(fileName) || BACKENDS.test(fileName);
    if (isTemporary && (await isAbandoned(file))) found.push({ file, what: 'a temporary file' });
    if (LOCK.test(fileName) && (await looksStale(file))) found.push({ file, what: 'the lock of a run that is gone' });
    const isAlone = OWNER.test(fileName) && !fileNames.includes(fileName.replace(/\.owner$/, '.lock'));
    if (isAlone && (await looksStale(file))) found.push({ file, what: 'the note of a lock that is gone' });
  }
  for (const { name, manifest } of entries) {
    if (manifest === null) continue;
    for (const fileName of fileNames.filter((each) => each.startsWith(`${name}.`))) {
      const file = join(cacheDir, fileName);
      if (fileName === `${name}.parts`) found.push({ file, what: 'the parts of an entry that is complete' });
      if (fileName.endsWith('.arrow') && fileName !== manifest.arrowFile)
        found.push({ file, what: 'an earlier import' });
    }
  }
  return found;
}

/**
 * Removes a stale file. A lock whose holder gives a sign of life stays: only its date, a matter of clocks, looked
 * stale.
 */
export async function removeStaleFile({ file }: StaleFile): Promise<boolean> {
  // A lock for taking over is held for an instant.
  if (!(LOCK.test(file) || OWNER.test(file)) || file.endsWith('.takeover.lock')) {
    await removeFolder(file);
    return true;
  }
  const lock = await tryLockEntry(file.replace(/\.(lock|owner)$/, ''));
  await lock?.release();
  return lock !== null;
}

/**
 * Removes what killed runs left beside entries that are complete, since nobody opens such an entry again: parts of a
 * run that was killed as it removed them itself, and the lock of one that was killed before it gave it back. An entry
 * that a run holds is left to it. A cache that cannot be written stays as it is.
 */
export async function sweepFinishedEntries(cacheDir: string): Promise<void> {
  const fileNames = new Set(await readdir(cacheDir).catch(() => []));
  const names = new Set([...fileNames].flatMap((fileName) => OF_A_RUN.exec(fileName)?.[1] ?? []));
  for (const name of names) {
    if (!fileNames.has(`${name}.json`)) continue;
    const files = entryFiles(cacheDir, { name });
    // A lock that is taken over or made here goes when it is given back.
    const lock = await tryLockEntry(files.lockTarget).catch(() => null);
    if (lock === null) continue;
    try {
      if (fileNames.has(`${name}.parts`)) await removeFinishedParts(files);
    } catch {
      // They do no harm where they are.
    } finally {
      await lock.release();
    }
  }
}

async function removeFinishedParts(files: EntryFiles): Promise<void> {
  const state = await readComplete(files.manifest, await readFile(files.manifest, 'utf8'), null);
  // The parts of a damaged entry are all that there is of it.
  if (state.kind !== 'complete') return;
  await removeFolder(files.parts);
  await removeTemporaryFiles(files);
}
