import { type FileHandle, open, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { renameFile } from './busy-files.js';
import { flushFolder } from './flush-folder.js';
import { makeFolder } from './make-folder.js';
import { isSpecial, temporaryPath } from './temporary-path.js';
import { failedAt, writeFailed } from './write-failed.js';

export interface AtomicWriteOptions {
  /** Called with the flushed temporary file before it gets its name; a rejection leaves the old file as it was. */
  readonly verify?: (temporaryPath: string) => Promise<void>;
}

/**
 * Writes a file that is there whole or not at all: temporary name in the same folder, flush, rename, flush of the
 * folder. Makes the folder. A device or pipe (/dev/null) is written to, not replaced. A killed run leaves at most a
 * file named `.<name>.<pid>-<random>.tmp`.
 *
 * write-file-atomic is not used: it takes one `write` call for a whole file, so that a disk that fills up half-way (a
 * short count, not an error) would put a cut file under the final name.
 *
 * @throws SupportCalError write-failed
 */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  options: AtomicWriteOptions = {},
): Promise<void> {
  if (await isSpecial(path)) return writeFile(path, data).catch(failedAt(path));
  const target = await realpath(path).catch(() => path);
  const staged = await stageFile(target, data);
  await staged.commit(options);
  await flushFolder(dirname(target));
}

/** A file that is written under its temporary name: a kill cannot undo that any more, a power cut can. */
export interface StagedFile {
  /** Flushes the bytes, which `commit` does where it was not done. */
  flush(): Promise<void>;
  /** Removes the temporary file, in place of `commit`. */
  discard(): Promise<void>;
  /** Flushes the bytes and gives them their name, which lasts once the folder is flushed. To be called once. */
  commit(options?: AtomicWriteOptions): Promise<void>;
}

/**
 * The first half of `writeFileAtomic`, for a writer that must not wait for the disk.
 *
 * @throws SupportCalError write-failed
 */
export async function stageFile(path: string, data: string | Uint8Array): Promise<StagedFile> {
  const temporary = temporaryPath(path);
  const remove = () => rm(temporary, { force: true }).catch(() => undefined);
  let handle: FileHandle | undefined;
  try {
    handle = await openInFolder(temporary);
    await handle.writeFile(data);
  } catch (cause) {
    await handle?.close().catch(() => undefined);
    await remove();
    throw writeFailed(path, cause);
  }
  const written = handle;
  let flushed = false;
  return {
    async flush() {
      await written.sync().catch(failedAt(path));
      flushed = true;
    },
    async discard() {
      await written.close().catch(() => undefined);
      await remove();
    },
    async commit({ verify } = {}) {
      try {
        try {
          if (!flushed) await written.sync();
        } finally {
          await written.close();
        }
        await verify?.(temporary);
        await renameFile(temporary, path);
      } catch (cause) {
        await remove();
        throw writeFailed(path, cause);
      }
    },
  };
}

/**
 * Writes files of one folder that belong together: all of them lie flushed under temporary names before the first gets
 * its name, so that a full disk leaves the old ones, and only a kill between two renames a mixture, which readers must
 * be able to tell.
 *
 * @throws SupportCalError write-failed
 */
export async function writeFilesTogether(
  folder: string,
  files: ReadonlyArray<readonly [name: string, data: string | Uint8Array]>,
): Promise<void> {
  const staged = await stageTogether(files.map(([name, data]) => ({ path: join(folder, name), data })));
  for (const [n, each] of staged.entries()) {
    try {
      await each.commit();
    } catch (error) {
      for (const later of staged.slice(n + 1)) await later.discard();
      throw error;
    }
  }
  for (const each of new Set(files.map(([name]) => dirname(join(folder, name))))) await flushFolder(each);
}

/** Several files, flushed at the same time: a disk that gets all of them at once is done sooner than file by file. */
async function stageTogether(files: ReadonlyArray<{ readonly path: string; readonly data: string | Uint8Array }>) {
  const staged: StagedFile[] = [];
  const ends = await Promise.allSettled(
    files.map(async ({ path, data }, n) => {
      const file = await stageFile(path, data);
      staged[n] = file;
      await file.flush();
    }),
  );
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed === undefined) return staged;
  for (const each of staged) await each?.discard();
  throw failed.reason;
}

/** Makes the folder only when it is missing: a look at it costs as much as the write of a small file. */
async function openInFolder(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'wx');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    await makeFolder(dirname(file)).catch((error: Error) => {
      throw error.cause;
    });
    return open(file, 'wx');
  }
}
