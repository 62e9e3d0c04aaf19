import type { BatchHeader } from './check-message.js';

/** In front of a packed buffer stands the length that it unpacks to; -1 where the buffer is not packed after all. */
const LENGTH_BYTES = 8;
const NOT_PACKED = -1n;

/**
 * Adds up what the packed buffers of a file unpack to, as they say in front of themselves, before one of them is
 * unpacked: a few kilobytes can claim any number of bytes, and all columns are in memory together.
 *
 * @param most bytes of the file as a whole
 * @returns bytes of one message's buffers once they are unpacked
 */
export function unpackedBudget(most: number): (batch: BatchHeader, body: Uint8Array, what: string) => number {
  let total = 0;
  return (batch, body, what) => {
    const bytes = batch.compression === null ? body.length : bytesOf(batch, body);
    if (batch.compression !== null) total += bytes;
    if (total > most) {
      const limit = `${Math.floor(most / 2 ** 20)} MiB`;
      throw new Error(
        `with ${what} its columns unpack to more than ${limit} in all, which is the most that is read; write fewer rows a file, or leave out columns that no field needs`,
      );
    }
    return bytes;
  };
}

function bytesOf({ buffers }: BatchHeader, body: Uint8Array): number {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  let bytes = 0;
  for (const { offset, length } of buffers) {
    if (length === 0) continue;
    if (length < LENGTH_BYTES) throw new Error('a packed column is shorter than the length in front of it');
    const unpacked = view.getBigInt64(offset, true);
    if (unpacked < NOT_PACKED) throw new Error('a column claims to unpack to a negative length');
    bytes += unpacked === NOT_PACKED ? length - LENGTH_BYTES : Number(unpacked);
  }
  return bytes;
}
