import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { MOST_TABLE_BYTES } from '../row/most-table-bytes.js';
import type { SourceFile } from '../row/source-row.js';

const CHUNK_BYTES = 256 * 1024;

/** Whether a file begins like gzip, whatever its name; no UTF-8 text does. */
export async function isGzip(handle: FileHandle): Promise<boolean> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  return bytesRead === 2 && beginsLikeGzip(buffer);
}

export function beginsLikeGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/**
 * All bytes of a packed binary table; null when the file is not packed.
 *
 * @throws SupportCalError bad-input: cut, damaged, or larger than `maxBytes` when unpacked
 */
export async function unpackedTable(
  handle: FileHandle,
  file: SourceFile,
  maxBytes = MOST_TABLE_BYTES,
): Promise<Buffer | null> {
  if (!(await isGzip(handle))) return null;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of gunzipped(handle, file)) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) {
      const message = `unpacks to more than ${maxBytes} bytes; unpack it (gunzip) and name the file without .gz`;
      throw new SupportCalError('bad-input', { file: file.shown, message });
    }
  }
  return Buffer.concat(chunks);
}

/**
 * The unpacked bytes of an open gzip file (also of several members one after the other), in constant memory.
 *
 * @throws SupportCalError bad-input: the file is cut or damaged
 */
export function gunzipped(handle: FileHandle, file: SourceFile): AsyncGenerator<Buffer> {
  return unpackedStream(handle.createReadStream({ autoClose: false, start: 0, highWaterMark: CHUNK_BYTES }), file);
}

/** The unpacked bytes of gzip chunks, in constant memory. Throws as `gunzipped`. */
export async function* unpackedStream(chunks: AsyncIterable<Buffer>, file: SourceFile): AsyncGenerator<Buffer> {
  const unpacked = createGunzip({ chunkSize: CHUNK_BYTES });
  // A fault of either end destroys the unpacker, whose loop below then throws it.
  pipeline(chunks, unpacked, () => {});
  try {
    for await (const chunk of unpacked) yield chunk as Buffer;
  } catch (cause) {
    const cut = (cause as NodeJS.ErrnoException).code === 'Z_BUF_ERROR';
    const reason = cut ? 'it ends too early' : (cause as Error).message;
    const message = `cannot be unpacked as gzip: ${reason}; fetch or pack the file again`;
    throw new SupportCalError('bad-input', { file: file.shown, message }, { cause });
  } finally {
    unpacked.destroy();
  }
}
