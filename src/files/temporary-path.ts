import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Where a file is written before it gets its name: `.<name>.<pid>-<random>.tmp` in the same folder. */
export function temporaryPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`);
}

/** The names that `temporaryPath` gives, and the process that gave one. */
export const TEMPORARY_NAME = /^\..+\.(\d+)-[0-9a-f]{12}\.tmp$/;

const ABANDONED_MS = 3_600_000;

/** A temporary file lives for a moment; one this old is nobody's, whatever runs under its process number by now. */
export async function isAbandoned(file: string): Promise<boolean> {
  const stats = await stat(file).catch(() => null);
  return stats !== null && Date.now() - stats.mtimeMs > ABANDONED_MS;
}

/** Whether a path is a device, pipe or socket (/dev/null, /dev/stdout): to be written to, never replaced by a file. */
export async function isSpecial(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && !found.isFile() && !found.isDirectory();
}
