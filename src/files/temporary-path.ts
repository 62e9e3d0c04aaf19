import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';

/** Where a file is written before it gets its name: `.<name>.<pid>-<random>.tmp` in the same folder. */
export function temporaryPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`);
}
