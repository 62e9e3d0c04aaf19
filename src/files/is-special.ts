import { stat } from 'node:fs/promises';

/** Whether a path is a device, pipe or socket (/dev/null, /dev/stdout): to be written to, never replaced by a file. */
export async function isSpecial(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && !found.isFile() && !found.isDirectory();
}
