import { isUtf8 } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { whyUnreadable } from '../../files/why-unreadable.js';
import type { ByteStream, SourceFile } from '../row/source-row.js';
import { beginsLikeGzip, gunzipped, isGzip, unpackedStream } from './gunzip.js';

/** Neighbouring lines of a file, without their `\n`; a `\r` before it is still there. */
export interface LineBatch {
  readonly lines: readonly string[];
  /** 1-based number of the first line. */
  readonly firstLine: number;
  /** Offset in the file of the first byte of the first line. */
  readonly firstByte: number;
}

/** No row of text that a model could be asked is longer; a longer line is most likely a file without line breaks. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/**
 * Streams the lines of a UTF-8 file in constant memory. Only `\n` ends a line: U+2028, U+2029 and U+0085 are text. A
 * byte order mark is dropped, and so is the empty piece after the last line break.
 *
 * @throws SupportCalError missing-file; bad-input for UTF-16, invalid UTF-8 (with byte offset) or a line over the limit
 */
export async function* readLines(file: SourceFile, maxLineBytes = MAX_LINE_BYTES): AsyncGenerator<LineBatch> {
  let rest: Buffer = Buffer.alloc(0);
  let firstLine = 1;
  let firstByte = 0;
  for await (const chunk of readChunks(file)) {
    const joined = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = joined.lastIndexOf(0x0a);
    rest = joined.subarray(end + 1);
    if (rest.length > maxLineBytes) {
      const line = firstLine + (end < 0 ? 0 : countLines(joined.subarray(0, end + 1)));
      throw lineTooLong(file, line, maxLineBytes);
    }
    if (end < 0) continue;
    const batch = decode(joined.subarray(0, end), firstLine, firstByte);
    yield batch;
    if (batch.bad !== undefined) throw invalidUtf8(file, joined, batch.bad, { byte: firstByte, line: firstLine });
    firstLine += batch.lines.length;
    firstByte += end + 1;
  }
  if (rest.length === 0) return;
  const batch = decode(rest, firstLine, firstByte);
  yield batch;
  if (batch.bad !== undefined) throw invalidUtf8(file, rest, batch.bad, { byte: firstByte, line: firstLine });
}

/**
 * Chunks of a file whose encoding is not UTF-16, unpacked when it is gzip; a UTF-8 byte order mark is left in place.
 */
export async function* readChunks(file: SourceFile): AsyncGenerator<Buffer> {
  if (file.stream !== undefined) return yield* streamChunks(file, file.stream);
  const handle = await openFile(file);
  try {
    let first = true;
    for await (const chunk of (await isGzip(handle)) ? gunzipped(handle, file) : plainChunks(handle)) {
      if (first) refuseUtf16(file, chunk);
      first = false;
      yield chunk;
    }
  } finally {
    await handle.close();
  }
}

async function* streamChunks(file: SourceFile, stream: ByteStream): AsyncGenerator<Buffer> {
  const packed = beginsLikeGzip(await stream.beginning());
  let first = true;
  for await (const chunk of packed ? unpackedStream(stream.chunks(), file) : stream.chunks()) {
    if (first) refuseUtf16(file, chunk);
    first = false;
    yield chunk;
  }
}

async function* plainChunks(handle: FileHandle): AsyncGenerator<Buffer> {
  for (;;) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Opens a regular file; a missing one or a folder is a SupportCalError that shows the path as written. */
export async function openFile(file: SourceFile): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await open(file.path, 'r');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    const message = code === 'ENOENT' ? 'no such file; correct the path' : `cannot be opened: ${whyUnreadable(cause)}`;
    throw new SupportCalError('missing-file', { file: file.shown, message }, { cause });
  }
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new SupportCalError('missing-file', {
    file: file.shown,
    message: 'is not a regular file; name a file of rows',
  });
}

/** Offset of the first byte of the first sequence that is not UTF-8 (one that the end cuts is not), or -1. */
export function firstInvalidByte(bytes: Uint8Array): number {
  if (isUtf8(bytes)) return -1;
  // Halving finds the byte that breaks a sequence (or the end that cuts one); the sequence began up to 3 bytes before.
  let [valid, bad] = [0, bytes.length];
  if (prefixIsUtf8(bytes, bad)) valid = bad;
  while (bad - valid > 1) {
    const middle = (valid + bad) >> 1;
    if (prefixIsUtf8(bytes, middle)) valid = middle;
    else bad = middle;
  }
  let start = valid;
  while (start > 0 && !isUtf8(bytes.subarray(0, start))) start--;
  return start;
}

function prefixIsUtf8(bytes: Uint8Array, end: number): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, end), { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** The lines of some bytes; where one is no UTF-8, those before it, and the offset of the `bad` byte. */
function decode(bytes: Buffer, firstLine: number, firstByte: number): LineBatch & { readonly bad?: number } {
  const bad = firstInvalidByte(bytes);
  if (bad >= 0) {
    const end = bad === 0 ? -1 : bytes.lastIndexOf(0x0a, bad - 1);
    const before = end < 0 ? { lines: [], firstLine, firstByte } : decode(bytes.subarray(0, end), firstLine, firstByte);
    return { ...before, bad };
  }
  const skip = firstByte === 0 && bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? 3 : 0;
  return { lines: bytes.toString('utf8', skip).split('\n'), firstLine, firstByte: firstByte + skip };
}

/**
 * The byte at `bad` is no UTF-8.
 *
 * @param first where the bytes begin in the file: byte offset (0-based), line and column
 */
export function invalidUtf8(
  file: SourceFile,
  bytes: Buffer,
  bad: number,
  first: { readonly byte: number; readonly line: number; readonly column?: number } = { byte: 0, line: 1 },
): SupportCalError {
  const byte = `byte 0x${bytes[bad]?.toString(16)} at byte offset ${first.byte + bad}`;
  const message = `invalid UTF-8: ${byte}; save the file as UTF-8`;
  const breaks = countLines(bytes.subarray(0, bad));
  const before = bytes.toString('utf8', bad === 0 ? 0 : bytes.lastIndexOf(0x0a, bad - 1) + 1, bad);
  const column = before.replace(/^\ufeff/, '').length + (breaks === 0 ? (first.column ?? 1) : 1);
  return new SupportCalError('bad-input', { file: file.shown, line: first.line + breaks, column, message });
}

function refuseUtf16(file: SourceFile, chunk: Buffer): void {
  const little = (chunk[0] === 0xff && chunk[1] === 0xfe) || (chunk.length > 1 && chunk[0] !== 0 && chunk[1] === 0);
  const big = (chunk[0] === 0xfe && chunk[1] === 0xff) || (chunk.length > 1 && chunk[0] === 0 && chunk[1] !== 0);
  if (!little && !big) return;
  const message = `is UTF-16 (${little ? 'little' : 'big'} endian); save it as UTF-8`;
  throw new SupportCalError('bad-input', { file: file.shown, message });
}

function lineTooLong(file: SourceFile, line: number, limit: number): SupportCalError {
  const message = `this line is longer than the limit of ${limit} bytes; write one row on each line`;
  return new SupportCalError('bad-input', { file: file.shown, line, column: 1, message });
}

export function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) count++;
  return count;
}
