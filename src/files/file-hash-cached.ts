import type { BigIntStats } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { contentHash } from './content-hash.js';
import { sha256OfFile } from './sha256-of-file.js';
import { writeFileAtomic } from './write-file-atomic.js';

interface KnownFile {
  readonly stamp: string;
  readonly sha256: string;
}

type KnownFiles = Record<string, KnownFile>;

/** Time stamps of file systems move in steps; a file that changed this recently could change again unseen. */
const UNSETTLED_NS = 50_000_000n;

/**
 * sha256 of a big file, remembered in a JSON index by real path, size, modification and change time (ns), inode and
 * device: a second run does not read gigabytes again, and a file that is replaced in place is read again even when its
 * modification time was set back. A damaged index is the same as none; one that cannot be written costs time only.
 *
 * @param hash reads the file; for tests
 */
export async function fileHashCached(path: string, indexFile: string, hash = sha256OfFile): Promise<string> {
  const real = await realpath(path);
  const before = await stat(real, { bigint: true });
  const known = (await readIndex(indexFile))[real];
  if (known !== undefined && known.stamp === stampOf(before)) return known.sha256;
  const started = BigInt(Date.now()) * 1_000_000n;
  const sha256 = await hash(real);
  const after = await stat(real, { bigint: true });
  if (stampOf(after) !== stampOf(before)) return fileHashCached(path, indexFile, hash);
  if (after.ctimeNs + UNSETTLED_NS < started) await remember(indexFile, real, { stamp: stampOf(after), sha256 });
  return sha256;
}

/** Whether the sha256 of a file is known, so that `fileHashCached` would not read it. */
export async function isHashKept(path: string, indexFile: string): Promise<boolean> {
  const real = await realpath(path);
  return (await readIndex(indexFile))[real]?.stamp === (await fileStamp(real));
}

/** Changes whenever a file is written to or replaced. */
export async function fileStamp(path: string): Promise<string> {
  return stampOf(await stat(path, { bigint: true }));
}

function stampOf(stats: BigIntStats): string {
  return [stats.size, stats.mtimeNs, stats.ctimeNs, stats.ino, stats.dev].join(':');
}

async function remember(indexFile: string, real: string, entry: KnownFile): Promise<void> {
  const files = { ...(await readIndex(indexFile)), [real]: entry };
  const text = `${JSON.stringify({ schemaVersion: 1, files, checksum: contentHash(files) }, null, 2)}\n`;
  await writeFileAtomic(indexFile, text).catch(() => undefined);
}

async function readIndex(indexFile: string): Promise<KnownFiles> {
  try {
    const index = JSON.parse(await readFile(indexFile, 'utf8'));
    return index.schemaVersion === 1 && contentHash(index.files) === index.checksum ? index.files : {};
  } catch {
    return {};
  }
}
