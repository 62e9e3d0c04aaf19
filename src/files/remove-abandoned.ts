import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { isAbandoned, TEMPORARY_NAME } from './temporary-path.js';

/**
 * Removes the temporary files that killed runs left in folders; those of live processes stay. A folder may be missing.
 */
export async function removeAbandoned(...folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    for (const name of await readdir(folder).catch(() => [])) {
      const pid = TEMPORARY_NAME.exec(name)?.[1];
      const file = path.join(folder, name);
      if (pid === undefined || (isAlive(Number(pid)) && !(await isAbandoned(file)))) continue;
      await rm(file, { force: true }).catch(() => undefined);
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
