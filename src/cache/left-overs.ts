import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAbandoned, TEMPORARY_NAME } from '../files/temporary-path.js';
import type { ListedEntry } from './list-entries.js';
import { looksStale, tryLockEntry } from './lock/entry-lock.js';

/** A file that killed runs left and that no entry uses. */
export interface LeftOver {
  readonly file: string;
  readonly what: string;
}

const BACKENDS = /^backends\.json\.\d+\.tmp$/;
const LOCK = /-[0-9a-f]{12}(\.takeover)?\.lock$/;

/** What runs of ours left behind in a cache folder; files of other names are nobody's business here. */
export async function listLeftOvers(cacheDir: string, entries: readonly ListedEntry[]): Promise<LeftOver[]> {
  const found: LeftOver[] = [];
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

/** Removes what `listLeftOvers` named. A lock whose holder gives a sign of life stays: its date was a matter of the clock. */
export async function removeLeftOver({ file }: LeftOver): Promise<boolean> {
  // A lock for taking over is held for an instant.
  if (!LOCK.test(file) || file.endsWith('.takeover.lock')) {
    await rm(file, { recursive: true, force: true });
    return true;
  }
  const lock = await tryLockEntry(file.replace(/\.lock$/, ''));
  await lock?.release();
  return lock !== null;
}
