import { open, realpath, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { renameFile } from './busy-files.js';
import { flushFolder } from './flush-folder.js';
import { makeFolder } from './make-folder.js';
import { isSpecial, temporaryPath } from './temporary-path.js';
import { failedAt } from './write-failed.js';

/** Text that grows: nothing has the file's name before `commit`. */
export interface AtomicStream {
  write(text: string): Promise<void>;
  /** Gives the file its name; in place of what was there. */
  commit(): Promise<void>;
  /** Leaves what was there. */
  abort(): Promise<void>;
}

/**
 * `writeFileAtomic` for text that comes in pieces; a device or pipe gets them as they come. @throws SupportCalError
 * write-failed
 */
export async function writeStreamAtomic(path: string): Promise<AtomicStream> {
  if (await isSpecial(path)) return straightTo(path);
  const target = await realpath(path).catch(() => path);
  const temporary = temporaryPath(target);
  const failed = failedAt(path);
  await makeFolder(dirname(target));
  const handle = await open(temporary, 'wx').catch(failed);
  const abort = async () => {
    await handle.close().catch(() => undefined);
    await rm(temporary, { force: true }).catch(() => undefined);
  };
  return {
    write: (text) => handle.appendFile(text).catch(failed),
    commit: () =>
      handle
        .sync()
        .then(() => handle.close())
        .then(() => renameFile(temporary, target))
        .then(() => flushFolder(dirname(target)))
        .catch(async (cause) => {
          await abort();
          return failed(cause);
        }),
    abort,
  };
}

async function straightTo(path: string): Promise<AtomicStream> {
  const failed = failedAt(path);
  const handle = await open(path, 'w').catch(failed);
  const close = () => handle.close().catch(failed);
  return { write: (text) => handle.writeFile(text).catch(failed), commit: close, abort: close };
}
