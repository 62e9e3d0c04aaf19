import { readdir, readFile, rm } from 'node:fs/promises';
import { entryFiles, removeLeftOvers } from './key/entry-files.js';
import { tryLockEntry } from './lock/entry-lock.js';
import { readComplete } from './read-entry.js';

/**
 * Removes the parts of entries that are complete: a run that was killed as it removed them itself left them, and nobody
 * opens such an entry again. An entry that a run holds is left to it. A cache that cannot be written stays as it is.
 */
export async function sweepFinished(cacheDir: string): Promise<void> {
  const fileNames = new Set(await readdir(cacheDir).catch(() => []));
  for (const fileName of fileNames) {
    const name = /^(.+-[0-9a-f]{12})\.parts$/.exec(fileName)?.[1];
    if (name === undefined || !fileNames.has(`${name}.json`)) continue;
    const files = entryFiles(cacheDir, { name });
    const lock = await tryLockEntry(files.lockTarget).catch(() => null);
    if (lock === null) continue;
    try {
      const state = await readComplete(files.manifest, await readFile(files.manifest, 'utf8'), null);
      // Of a damaged entry the parts are what is left.
      if (state.kind !== 'complete') continue;
      await rm(files.parts, { recursive: true, force: true });
      await removeLeftOvers(files);
    } catch {
      // They do no harm where they are.
    } finally {
      await lock.release();
    }
  }
}
