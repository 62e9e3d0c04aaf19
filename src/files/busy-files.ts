import { rename, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** What virus scanners, indexers and network drives answer for a moment; EACCES means that on Windows alone. */
const PASSING = new Set(['EBUSY', 'EPERM', 'ETXTBSY', ...(process.platform === 'win32' ? ['EACCES'] : [])]);
/** What they make of a folder whose last file is being removed. */
const PASSING_IN_FOLDERS = new Set([...PASSING, 'ENOTEMPTY']);
/** Pauses between tries, in milliseconds: two and a half seconds in all. */
const PAUSES = [10, 20, 40, 80, 160, 320, 640, 1280];

/**
 * `rename` that tries again, for a bounded time, where another process holds the file for a moment. Any other failure,
 * and the last one, is thrown as it came.
 */
export async function renameFile(from: string, to: string): Promise<void> {
  await tryAgain(() => rename(from, to), PASSING);
}

/** Removes a file, or leaves it that none is there; tries again as `renameFile` does. */
export async function removeFile(file: string): Promise<void> {
  await tryAgain(() => rm(file, { force: true }), PASSING);
}

/** Removes a file or a folder with all that is in it; tries again as `renameFile` does. */
export async function removeFolder(folder: string): Promise<void> {
  await tryAgain(() => rm(folder, { recursive: true, force: true }), PASSING_IN_FOLDERS);
}

async function tryAgain(step: () => Promise<void>, passing: ReadonlySet<string>): Promise<void> {
  for (const ms of PAUSES) {
    try {
      return await step();
    } catch (error) {
      if (!passing.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
    await pause(ms);
  }
  await step();
}
