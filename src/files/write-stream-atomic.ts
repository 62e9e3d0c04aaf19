import { type FileHandle, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isSpecial } from './is-special.js';
import { makeFolder } from './make-folder.js';
import { temporaryPath } from './temporary-path.js';
import { writeFailed } from './write-failed.js';

/** Text that grows: nothing has the file's name before `commit`. */
export interface AtomicStream {
  write(text: string): Promise<void>;
  /** Gives the file its name; in place of what was there. */
  commit(): Promise<void>;
  /** Leaves what was there. */
  abort(): Promise<void>;
}

/** `writeFileAtomic` for text that comes in pieces; a device or pipe gets them as they come. @throws SupportCalError write-failed */
export async function writeStreamAtomic(path: string): Promise<AtomicStream> {
  if (await isSpecial(path)) return straightTo(path);
  const target = await realpath(path).catch(() => path);
  const temporary = temporaryPath(target);
  const told = toldOf(path);
  await makeFolder(dirname(target));
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
          .then(() => rename(temporary, target)),
      ).catch(async (error) => {
        await abort();
        throw error;
      }),
    abort,
  };
}

async function straightTo(path: string): Promise<AtomicStream> {
  const told = toldOf(path);
  const handle = await told(open(path, 'w'));
  const close = () => told(handle.close());
  return { write: async (text) => void (await told(handle.writeFile(text))), commit: close, abort: close };
}

/** A fault of any step is told as one of writing the file. */
function toldOf(path: string): <T>(work: Promise<T>) => Promise<T> {
  return (work) =>
    work.catch((cause) => {
      throw writeFailed(path, cause);
    });
}
