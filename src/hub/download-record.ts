import { readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { flushFolder } from '../files/flush-folder.js';
import { failedAt } from '../files/write-failed.js';
import { writeFileAtomic } from '../files/write-file-atomic.js';
import type { HubAccess } from './hub-access.js';
import type { ListedFile } from './hub-repository.js';

/** A file where it belongs, as the hub lists it. */
interface Placed {
  readonly path: string;
  readonly listed: ListedFile;
}

/**
 * Writes down beside a file that this program brought it here, and how the file was then. Without that, or once the
 * file was touched, it counts as the user's own.
 */
export async function recordDownload(target: string, listed: ListedFile): Promise<void> {
  const record = { sha256: listed.sha256, blobSha1: listed.blobSha1, stamp: await stampOf(target) };
  await writeFileAtomic(recordFile(target), `${JSON.stringify(record)}\n`);
}

/** Whether this program brought the file here, with the bytes that the hub lists, and nobody has touched it since. */
export async function isOwnDownload({ path: at, listed }: Placed): Promise<boolean> {
  try {
    const { sha256, blobSha1, stamp } = JSON.parse(await readFile(recordFile(at), 'utf8'));
    return sha256 === listed.sha256 && blobSha1 === listed.blobSha1 && stamp === (await stampOf(at));
  } catch {
    return false;
  }
}

/** Removes a download of this program, or what a broken one left; false when the file itself is not ours, and stays. */
export async function removeDownload(file: Placed, access: Pick<HubAccess, 'lock'>): Promise<boolean> {
  const lock = await access.lock(file.path);
  try {
    for (const left of [`${file.path}.partial`, `${file.path}.partial.etag`]) await rm(left, { force: true });
    if (!(await isOwnDownload(file))) return false;
    await rm(file.path).catch(failedAt(file.path));
    await flushFolder(path.dirname(file.path));
    await rm(recordFile(file.path), { force: true });
    return true;
  } finally {
    await lock.release();
  }
}

/**
 * Any write or replacement changes it. The number of the device is left out: some file systems get another one when
 * they are mounted again.
 */
async function stampOf(file: string): Promise<string> {
  const { size, mtimeNs, ctimeNs, ino } = await stat(file, { bigint: true });
  return [size, mtimeNs, ctimeNs, ino].join(':');
}

function recordFile(target: string): string {
  return `${target}.fetched`;
}
