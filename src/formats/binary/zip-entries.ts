import zlib from 'node:zlib';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import { SupportCalError } from '../../errors/supportcal-error.js';
import type { SourceFile } from '../row/source-row.js';
import { unpackZstd } from './unpack-zstd.js';

/** One file of an archive. */
export interface ZipEntry {
  readonly name: string;
  readonly bytes: Buffer;
}

/** What an archive may hold; one with more is no honest file of rows, as it fills memory or never ends. */
export interface ZipLimits {
  readonly entries: number;
  /** Bytes of one file once it is unpacked. */
  readonly entryBytes: number;
  /** Bytes of all files together once they are unpacked. */
  readonly totalBytes: number;
}

export const ZIP_LIMITS: ZipLimits = { entries: 1_000_000, entryBytes: 64 * 2 ** 20, totalBytes: 8 * 2 ** 30 };

const ZSTANDARD = 93;
/** Release 3.4 of yauzl decodes where the option is left out, and not where it is true. */
const AS_PACKED = { decodeFileData: false } as const;

/**
 * The files of a zip archive whose names are wanted, one after the other, so that one of them is in memory at a time.
 * Of several with one name the last one counts, as for Python. Sizes are those of the directory, and an entry that
 * unpacks to another size is refused.
 *
 * @throws SupportCalError missing-file; bad-input: no zip, damaged, packed in a way that is not read, or beyond a limit
 */
export async function* zipEntries(
  file: SourceFile,
  wanted: (name: string) => boolean,
  limits: ZipLimits = ZIP_LIMITS,
): AsyncGenerator<ZipEntry> {
  let archive: ZipFile | undefined;
  try {
    archive = await yauzl.openPromise(file.path, { autoClose: false });
    const entries = await wantedEntries(archive, wanted, limits);
    for (const entry of entries) yield { name: entry.fileName, bytes: await unpacked(archive, entry) };
  } catch (cause) {
    if (cause instanceof SupportCalError) throw cause;
    const { code, message: reason } = cause as NodeJS.ErrnoException;
    const lost = code === 'ENOENT';
    const message = lost ? 'no such file' : `cannot be read as a zip archive: ${reason}; fetch or write the file again`;
    throw new SupportCalError(lost ? 'missing-file' : 'bad-input', { file: file.shown, message }, { cause });
  } finally {
    archive?.close();
  }
}

async function wantedEntries(
  archive: ZipFile,
  wanted: (name: string) => boolean,
  limits: ZipLimits,
): Promise<Iterable<Entry>> {
  if (archive.entryCount > limits.entries)
    throw new Error(`it holds ${archive.entryCount} files, more than the ${limits.entries} that are read`);
  const entries = new Map<string, Entry>();
  for await (const entry of archive.eachEntry()) if (wanted(entry.fileName)) entries.set(entry.fileName, entry);
  let total = 0;
  for (const { fileName, uncompressedSize: size } of entries.values()) {
    total += size;
    const [what, most] =
      size > limits.entryBytes ? [`"${fileName}"`, limits.entryBytes] : ['the archive', limits.totalBytes];
    if (size > limits.entryBytes || total > limits.totalBytes)
      throw new Error(`${what} unpacks to more than ${most / 2 ** 20} MiB, which is the most that is read`);
  }
  return entries.values();
}

async function unpacked(archive: ZipFile, entry: Entry): Promise<Buffer> {
  const { compressionMethod: method, fileName, uncompressedSize: size } = entry;
  const zstandard = method === ZSTANDARD && !entry.isEncrypted();
  if (!zstandard && !entry.canDecodeFileData())
    throw new Error(`"${fileName}" is packed by method ${method} or encrypted; deflate and zstd are read`);
  const chunks: Buffer[] = [];
  for await (const chunk of await archive.openReadStreamPromise(entry, zstandard ? AS_PACKED : {}))
    chunks.push(chunk as Buffer);
  const bytes = zstandard ? unpackedZstandard(Buffer.concat(chunks), size, fileName) : Buffer.concat(chunks);
  // Node has the sum since 20.15.
  if (zlib.crc32 !== undefined && zlib.crc32(bytes) !== entry.crc32)
    throw new Error(`"${fileName}" has another checksum`);
  return bytes;
}

/** One frame or several one after the other, as a writer makes them of large files. */
function unpackedZstandard(packed: Buffer, size: number, name: string): Buffer {
  try {
    return Buffer.from(unpackZstd(packed, size));
  } catch (cause) {
    throw new Error(`"${name}" is no sound zstd (${(cause as Error).message})`, { cause });
  }
}
