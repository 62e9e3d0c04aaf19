import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';

/** As `temporaryPath` names them. */
const TEMPORARY = /^\..+\.(\d+)-[0-9a-f]{12}\.tmp$/;
/** A temporary file lives for a moment; one this old is nobody's, whatever runs under its process number by now. */
const ABANDONED_MS = 3_600_000;

/** Removes the temporary files that killed runs left in folders; those of live processes stay. A folder may be missing. */
export async function removeAbandoned(...folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    for (const name of await readdir(folder).catch(() => [])) {
      const pid = TEMPORARY.exec(name)?.[1];
      const file = path.join(folder, name);
      if (pid === undefined || (isAlive(Number(pid)) && !(await isOld(file)))) continue;
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

async function isOld(file: string): Promise<boolean> {
  const stats = await stat(file).catch(() => null);
  return stats !== null && Date.now() - stats.mtimeMs > ABANDONED_MS;
}
