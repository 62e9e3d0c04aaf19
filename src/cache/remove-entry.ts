import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFile, removeFolder } from '../files/busy-files.js';
import { writeFailed } from '../files/write-failed.js';
import { entryFiles, removeTemporaryFiles } from './key/entry-files.js';
import { tryLockEntry } from './lock/entry-lock.js';
import { lockSeekers } from './lock/lock-seekers.js';
import { endSharing } from './parts/shared-parts.js';

/**
 * Removes an entry with everything of it, the manifest first; false, and nothing removed, while a run holds it or some
 * of its rows. A link in the cache folder is removed as a link: what it points at stays.
 *
 * @throws SupportCalError write-failed
 */
export async function removeEntry(cacheDir: string, name: string): Promise<boolean> {
  const files = entryFiles(cacheDir, { name });
  const lock = await tryLockEntry(files.lockTarget);
  if (lock === null) return false;
  try {
    if (!(await endSharing(files.parts, lockSeekers()))) return false;
    await removeFile(files.manifest);
    for (const fileName of await readdir(cacheDir)) {
      const ours = fileName.startsWith(`${name}.`) && fileName.endsWith('.arrow');
      if (ours) await removeFile(join(cacheDir, fileName));
    }
    await removeFile(join(cacheDir, `${name}.rows`));
    await removeFolder(files.parts);
    await removeTemporaryFiles(files);
    return true;
  } catch (error) {
    throw writeFailed(files.manifest, error);
  } finally {
    await lock.release();
  }
}
