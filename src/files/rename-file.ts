import { rename } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** What virus scanners, indexers and network drives answer for a moment; EACCES means that on Windows alone. */
const PASSING = new Set(['EBUSY', 'EPERM', 'ETXTBSY', ...(process.platform === 'win32' ? ['EACCES'] : [])]);
/** Pauses between tries, in milliseconds: two and a half seconds in all. */
const PAUSES = [10, 20, 40, 80, 160, 320, 640, 1280];

/**
 * `rename` that tries again, for a bounded time, where another process holds the file for a moment. Any other failure,
 * and the last one, is thrown as it came.
 */
export async function renameFile(from: string, to: string): Promise<void> {
  for (const ms of PAUSES) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (!PASSING.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
    await pause(ms);
  }
  await rename(from, to);
}
