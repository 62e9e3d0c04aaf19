import { statfs } from 'node:fs/promises';
import path from 'node:path';

/** Bytes that are free for this user where a folder is or will be; null when the system does not say. */
export async function freeDisk(folder: string): Promise<number | null> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const found = await statfs(at).catch(() => null);
    if (found !== null) return found.bavail * found.bsize;
    if (path.dirname(at) === at) return null;
  }
}
