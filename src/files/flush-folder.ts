import { open } from 'node:fs/promises';
import { writeFailed } from './write-failed.js';

/** What a file system answers that cannot flush folders (network drives), or a folder that may not be read. */
const CANNOT = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EBADF', 'EPERM', 'EACCES', 'EISDIR']);

/**
 * Makes the names in a folder survive a power cut. Windows cannot open folders; a rename is atomic there all the same.
 * Nothing is done where the file system cannot flush folders.
 *
 * @throws SupportCalError write-failed: the disk did not take it (an I/O error, a full disk)
 */
export async function flushFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (cause) {
    if (!CANNOT.has((cause as NodeJS.ErrnoException).code ?? '')) throw writeFailed(folder, cause);
  }
}
