import { constants } from 'node:fs';
import { type FileHandle, open, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SupportCalError } from '../errors/supportcal-error.js';
import { renameFile } from '../files/busy-files.js';
import { flushFolder } from '../files/flush-folder.js';
import { makeFolder } from '../files/make-folder.js';
import { failedAt } from '../files/write-failed.js';
import { recordDownload } from './download-record.js';
import { type FileHash, fileHash, hashOfFirst } from './file-hash.js';
import type { HubAccess } from './hub-access.js';
import { HubTrouble, hubFault } from './hub-fault.js';
import { hubGet } from './hub-get.js';
import type { ListedFile } from './hub-repository.js';
import { isSound } from './sound-file.js';
import { withRetries } from './with-retries.js';

export interface Download {
  readonly url: string;
  /** Readable name, for messages. */
  readonly what: string;
  readonly target: string;
  readonly listed: ListedFile;
}

/**
 * Brings a file to `target`, which gets its name only after size and hash were found to be those that the hub lists.
 * Bytes of a broken download stay in `<target>.partial` and are taken up (Range, with If-Range where the server gave a
 * strong ETag); bytes that turn out to be of another file are thrown away. A file of that name whose bytes have changed
 * since is replaced.
 *
 * @throws SupportCalError missing-file, write-failed (disk full, ...), interrupted
 */
export async function downloadFile(download: Download, access: HubAccess): Promise<void> {
  await makeFolder(path.dirname(download.target));
  const lock = await access.lock(download.target);
  try {
    if (await isSound(download.target, download.listed)) return;
    await refuseFullDisk(download);
    let most = 0;
    await withRetries(download.what, access, (progressed) =>
      attempt(download, access, (bytes) => {
        // A server that cuts every answer at the same byte makes no progress.
        if (bytes > most) progressed();
        most = Math.max(most, bytes);
      }),
    );
  } finally {
    await lock.release();
  }
}

/** Bytes of a broken download that the next one takes up. */
export async function keptBytes(target: string, { bytes }: Pick<ListedFile, 'bytes'>): Promise<number> {
  const kept = (await stat(`${target}.partial`).catch(() => null))?.size ?? 0;
  return kept > bytes ? 0 : kept;
}

async function refuseFullDisk({ target, what, listed }: Download): Promise<void> {
  const { bavail, bsize } = await statfs(path.dirname(target));
  const [needed, free] = [listed.bytes - (await keptBytes(target, listed)), bavail * bsize];
  if (needed <= free) return;
  const [more, there] = [needed, free].map((bytes) => `${(bytes / 1e9).toFixed(2)} GB`);
  const message = `${what} needs ${more} more, but only ${there} are free here`;
  throw new SupportCalError('write-failed', { file: target, message });
}

async function attempt(download: Download, access: HubAccess, progressed: (bytes: number) => void): Promise<void> {
  const { target, listed } = download;
  const partial = `${target}.partial`;
  const handle = await open(partial, APPEND).catch(failedAt(partial));
  let sound = false;
  let resumed = 0;
  try {
    let start = (await handle.stat()).size;
    if (start > listed.bytes) {
      await emptied(handle, partial);
      start = 0;
    }
    const rest = { handle, hash: await hashOfFirst(partial, start, listed), start, progressed };
    if (start < listed.bytes || listed.bytes === 0) await fetchRest(download, access, rest);
    resumed = rest.start;
    // The length shows bytes that another run wrote in between, if it took this one for dead.
    sound = rest.hash.sound() && (await handle.stat()).size === listed.bytes;
    await handle.sync().catch(failedAt(partial));
  } finally {
    await handle.close();
  }
  if (!sound) {
    await rm(partial, { force: true });
    if (resumed > 0) throw new HubTrouble('the bytes kept from before are of another file; starting again');
    const advice = 'a proxy may have changed them, or the file changed; try again later';
    throw hubFault(
      download.what,
      `the bytes that came are not those that the hub lists (size or hash differ); ${advice}`,
    );
  }
  await renameFile(partial, target).catch(failedAt(target));
  await flushFolder(path.dirname(target));
  await recordDownload(target, listed);
  await rm(etagFile(partial), { force: true });
}

/** As 'a+' opens a file, but not one that is a link to somewhere else: the cache may have come from elsewhere. */
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

interface Rest {
  readonly handle: FileHandle;
  hash: FileHash;
  start: number;
  readonly progressed: (bytes: number) => void;
}

async function fetchRest(download: Download, access: HubAccess, rest: Rest): Promise<void> {
  const { target, what, listed } = download;
  const partial = `${target}.partial`;
  const etag = rest.start === 0 ? '' : await readFile(etagFile(partial), 'utf8').catch(() => '');
  const range = { range: `bytes=${rest.start}-`, ...(etag !== '' && { 'if-range': etag }) };
  const { response, chunks, cancel } = await hubGet(download.url, what, access, rest.start === 0 ? {} : range);
  if (rest.start > 0 && !continues(response, rest.start)) {
    // The whole file came (it changed, or the server knows no ranges), or a range that is not the one asked for.
    await emptied(rest.handle, partial);
    [rest.start, rest.hash] = [0, fileHash(listed)];
    if (response.status !== 200) {
      await cancel();
      throw new HubTrouble(`the hub cannot go on at the byte asked for (${response.status}); starting again`);
    }
  }
  const tag = response.headers.get('etag') ?? '';
  await writeFile(etagFile(partial), tag.startsWith('"') ? tag : '').catch(failedAt(etagFile(partial)));
  const resumedBytes = rest.start;
  let bytes = rest.start;
  const report = () => access.events?.onDownload?.({ file: what, bytes, totalBytes: listed.bytes, resumedBytes });
  report();
  for await (const chunk of chunks()) {
    bytes += chunk.length;
    if (bytes > listed.bytes) break;
    await rest.handle.appendFile(chunk).catch(failedAt(partial));
    rest.hash.update(chunk);
    rest.progressed(bytes);
    report();
  }
  if (bytes < listed.bytes) throw new HubTrouble(`the connection ended after ${bytes} of ${listed.bytes} bytes`);
  if (bytes > listed.bytes) rest.hash.spoil();
}

function emptied(handle: FileHandle, partial: string): Promise<void> {
  return handle.truncate(0).catch(failedAt(partial));
}

function continues(response: Response, start: number): boolean {
  return response.status === 206 && response.headers.get('content-range')?.startsWith(`bytes ${start}-`) === true;
}

function etagFile(partial: string): string {
  return `${partial}.etag`;
}
