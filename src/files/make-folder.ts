import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { flushFolder } from './flush-folder.js';
import { writeFailed } from './write-failed.js';

/**
 * Makes a folder with its parents, one level at a time: `mkdir` with `recursive` loops for ever in Node 20 where the
 * file system answers "no such file" to mkdir itself, as /proc does. A new folder is flushed into its parent, so that a
 * power cut does not take it away with what is written into it.
 *
 * @throws SupportCalError write-failed, also when a file is in the way
 */
export async function makeFolder(folder: string): Promise<void> {
  const absolute = path.resolve(folder);
  try {
    if (await isFolder(absolute)) return;
    if (path.dirname(absolute) !== absolute) await makeFolder(path.dirname(absolute));
    await mkdir(absolute);
    await flushFolder(path.dirname(absolute));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST' && (await isFolder(absolute))) return;
    throw writeFailed(folder, cause);
  }
}

async function isFolder(folder: string): Promise<boolean> {
  const info = await stat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  return info?.isDirectory() ?? false;
}
