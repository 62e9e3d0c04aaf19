import { opendir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFile } from '../../files/busy-files.js';
import { writeFileAtomic } from '../../files/write-file-atomic.js';
import type { LockSeekers } from '../lock/lock-seekers.js';
import type { RowRange } from './row-ranges.js';

const MARKER = 'shared.json';
const RANGE_LOCK = /^(range-\d{3})\.lock$/;

/**
 * Whether the ranges of an entry have locks of their own. The file is read, not looked at: on a network folder that
 * asks the server, while a look at it may be answered from memory. So may the opening of a name that was missing a
 * moment ago: NFS asks again for what is new in a folder when that is opened.
 */
export async function isShared(folder: string): Promise<boolean> {
  const opened = await opendir(folder).catch(() => null);
  if (opened === null) return false;
  await opened.close();
  return (await readFile(join(folder, MARKER), 'utf8').catch(() => null)) !== null;
}

/** From now on the ranges of the entry are held one by one. Only the holder of the entry's lock may call this. */
export async function markShared(folder: string): Promise<void> {
  await writeFileAtomic(join(folder, MARKER), '{"schemaVersion":1}\n');
}

/** What the lock of a range is named after. */
export function rangeTarget(folder: string, { index }: RowRange): string {
  return join(folder, `range-${String(index).padStart(3, '0')}`);
}

/**
 * Makes an entry whole again, so that the lock of the entry, which the caller must hold, stands for all of its rows.
 * False, and nothing changed, while another run holds a range; the locks of dead runs are removed.
 *
 * A run that takes a range locks it first and looks for the marker afterwards; here the marker goes first and the locks
 * are looked at afterwards. So one of the two sees the other, whoever of them comes first.
 */
export async function endSharing(folder: string, seek: LockSeekers): Promise<boolean> {
  if (!(await isShared(folder))) return true;
  if (!(await allFree(folder, seek))) return false;
  await removeFile(join(folder, MARKER));
  if (await allFree(folder, seek)) return true;
  await markShared(folder);
  return false;
}

/** Whether no live run holds a range. */
async function allFree(folder: string, seek: LockSeekers): Promise<boolean> {
  for (const fileName of await readdir(folder).catch(() => [])) {
    const name = RANGE_LOCK.exec(fileName)?.[1];
    if (name === undefined) continue;
    const lock = await seek(join(folder, name));
    if (lock === null) return false;
    await lock.release();
  }
  return true;
}
