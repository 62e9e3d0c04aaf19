import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder } from '../files/busy-files.js';
import { isAbandoned, TEMPORARY_NAME } from '../files/temporary-path.js';
import { entryFiles, removeTemporaryFiles } from './key/entry-files.js';
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

/** Stale files of a cache folder. Files whose names no run of ours gives are not looked at. */
export async function listStaleFiles(cacheDir: string, entries: readonly ListedEntry[]): Promise<StaleFile[]> {
  const found: StaleFile[] = [];
  const fileNames = await readdir(cacheDir).catch(() => [] as string[]);
  for (const fileName of fileNames) {
    const file = join(cacheDir, fileName);
    const isTemporary = TEMPORARY_NAME.test(fileName) || BACKENDS.test(fileName);
    if (isTemporary && (await isAbandoned(file))) found.push({ file, what: 'a temporary file' });
    if (LOCK.test(fileName) && (await looksStale(file))) found.push({ file, what: 'the lock of a run that is gone' });
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
  if (!LOCK.test(file) || file.endsWith('.takeover.lock')) {
    await removeFolder(file);
    return true;
  }
  const lock = await tryLockEntry(file.replace(/\.lock$/, ''));
  await lock?.release();
  return lock !== null;
}

/**
 * Removes the parts of entries that are complete: a run that was killed as it removed them itself left them, and nobody
 * opens such an entry again. An entry that a run holds is left to it. A cache that cannot be written stays as it is.
 */
export async function removeFinishedParts(cacheDir: string): Promise<void> {
  const fileNames = new Set(await readdir(cacheDir).catch(() => []));
  for (const fileName of fileNames) {
    const name = /^(.+-[0-9a-f]{12})\.parts$/.exec(fileName)?.[1];
    if (name === undefined || !fileNames.has(`${name}.json`)) continue;
    const files = entryFiles(cacheDir, { name });
    const lock = await tryLockEntry(files.lockTarget).catch(() => null);
    if (lock === null) continue;
    try {
      const state = await readComplete(files.manifest, await readFile(files.manifest, 'utf8'), null);
      // The parts of a damaged entry are all that there is of it.
      if (state.kind !== 'complete') continue;
      await removeFolder(files.parts);
      await removeTemporaryFiles(files);
    } catch {
      // They do no harm where they are.
    } finally {
      await lock.release();
    }
  }
}
