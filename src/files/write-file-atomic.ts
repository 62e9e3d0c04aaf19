import { randomBytes } from 'node:crypto';
import { open, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from './make-folder.js';
import { writeFailed } from './write-failed.js';

export interface AtomicWriteOptions {
  /** Called with the flushed temporary file before it gets its name; a rejection leaves the old file as it was. */
  readonly verify?: (temporaryPath: string) => Promise<void>;
}

/**
 * Writes a file that is there whole or not at all: temporary name in the same folder, flush, rename, flush of the
 * folder. Makes the folder. A killed run leaves at most a file named `.<name>.<pid>-<random>.tmp`.
 *
 * write-file-atomic is not used: it takes one `write` call for a whole file, so that a disk that fills up half-way
 * (a short count, not an error) would put a cut file under the final name.
 *
 * @throws SupportCalError write-failed
 */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  options: AtomicWriteOptions = {},
): Promise<void> {
  try {
    await makeFolder(dirname(path)).catch((error: Error) => {
      throw writeFailed(path, error.cause);
    });
    const target = await realpath(path).catch(() => path);
    const temporary = join(dirname(target), temporaryName(basename(target)));
    try {
      await writeFlushed(temporary, data);
      await options.verify?.(temporary);
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
    await flushFolder(dirname(target));
  } catch (cause) {
    throw writeFailed(path, cause);
  }
}

function temporaryName(name: string): string {
  return `.${name}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`;
}

async function writeFlushed(path: string, data: string | Uint8Array): Promise<void> {
  const handle = await open(path, 'wx');
  try {
    await handle.writeFile(data);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the rename itself survive a power cut. Windows cannot open folders; the rename is atomic there all the same. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  if (handle === null) return;
  try {
    await handle.sync();
  } catch {
    // Some network file systems refuse to flush folders.
  } finally {
    await handle.close();
  }
}
