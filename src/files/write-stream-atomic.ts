import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from './make-folder.js';
import { writeFailed } from './write-failed.js';

/** Text that grows: nothing has the file's name before `commit`. */
export interface AtomicStream {
  write(text: string): Promise<void>;
  /** Gives the file its name; in place of what was there. */
  commit(): Promise<void>;
  /** Leaves what was there. */
  abort(): Promise<void>;
}

/** `writeFileAtomic` for text that comes in pieces. @throws SupportCalError write-failed */
export async function writeStreamAtomic(path: string): Promise<AtomicStream> {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`);
  const told = async <T>(work: Promise<T>): Promise<T> =>
    work.catch((cause) => {
      throw writeFailed(path, cause);
    });
  await makeFolder(dirname(path));
  const handle: FileHandle = await told(open(temporary, 'wx'));
  const abort = async () => {
    await handle.close().catch(() => undefined);
    await rm(temporary, { force: true }).catch(() => undefined);
  };
  return {
    write: (text) => told(handle.appendFile(text)),
    commit: () =>
      told(
        handle
          .sync()
          .then(() => handle.close())
          .then(() => rename(temporary, path)),
      ).catch(async (error) => {
        await abort();
        throw error;
      }),
    abort,
  };
}
