const FRAME_MAGIC = 0x184d2204;
const MIN_MATCH = 4;
/** A frame decodes to at most 255 times its size. */
const MAX_RATIO = 255;
/**
 * Decodes one LZ4 frame (the codec of Feather files written with their defaults). Checksums of the frame are not
 * verified.
 *
 * @param most bytes that come out
 * @throws Error when the bytes are no LZ4 frame or are cut
 */
export function decodeLz4Frame(frame: Uint8Array, most = frame.length * MAX_RATIO): Uint8Array {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  if (frame.length < 7 || view.getUint32(0, true) !== FRAME_MAGIC) throw new Error('not an LZ4 frame');
  const flags = frame[4]!;
  const [blockChecksum, hasSize, hasDictionary] = [(flags & 0x10) !== 0, (flags & 0x08) !== 0, (flags & 0x01) !== 0];
  if (hasDictionary) throw new Error('LZ4 frames with a dictionary are not supported');
  const output = new Growing(hasSize ? Number(view.getBigUint64(6, true)) : frame.length * 4, most);
  let position = hasSize ? 15 : 7;
  for (;;) {
    if (position + 4 > frame.length) throw new Error('the LZ4 frame is cut');
    const word = view.getUint32(position, true);
    position += 4;
    if (word === 0) return output.bytes.slice(0, output.length);
    const length = word & 0x7fffffff;
    if (position + length > frame.length) throw new Error('the LZ4 frame is cut');
    const block = frame.subarray(position, position + length);
    if (word >>> 31 === 1) output.append(block);
    else decodeBlock(block, output);
    position += length + (blockChecksum ? 4 : 0);
  }
}

function decodeBlock(block: Uint8Array, output: Growing): void {
  let position = 0;
  const extended = (base: number): number => {
    let length = base;
    if (base !== 15) return length;
    for (;;) {
      const byte = byteAt(block, position++);
      length += byte;
      if (byte !== 255) return length;
    }
  };
  while (position < block.length) {
    const token = block[position++]!;
    const literals = extended(token >> 4);
    if (position + literals > block.length) throw new Error('the LZ4 block is cut');
    output.append(block.subarray(position, position + literals));
    position += literals;
    if (position === block.length) return;
    const offset = byteAt(block, position) | (byteAt(block, position + 1) << 8);
    position += 2;
    output.repeat(offset, extended(token & 15) + MIN_MATCH);
  }
}

function byteAt(bytes: Uint8Array, position: number): number {
  if (position >= bytes.length) throw new Error('the LZ4 block is cut');
  return bytes[position]!;
}

class Growing {
  bytes: Uint8Array;
  length = 0;

  constructor(
    size: number,
    private readonly limit: number,
  ) {
    this.bytes = new Uint8Array(Math.min(size, limit));
  }

  append(chunk: Uint8Array): void {
    this.reserve(chunk.length);
    this.bytes.set(chunk, this.length);
    this.length += chunk.length;
  }

  /** Copies `count` bytes from `offset` back; the two ranges may overlap, so byte by byte. */
  repeat(offset: number, count: number): void {
    if (offset === 0 || offset > this.length) throw new Error('an LZ4 match points outside the data');
    this.reserve(count);
    for (let end = this.length + count; this.length < end; this.length++) {
      this.bytes[this.length] = this.bytes[this.length - offset]!;
    }
  }

  private reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    if (needed > this.limit) throw new Error('the LZ4 frame decodes to more than it can hold');
    const grown = new Uint8Array(Math.min(Math.max(needed, this.bytes.length * 2), this.limit));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }
}
