import { readSync } from 'node:fs';
import { tensorBytes } from './tensor-bytes.js';

/** Where a GGUF file should end. `end` null: a tensor type this tool does not know, so only llama.cpp can tell. */
export type GgufExtent =
  | { readonly kind: 'known'; readonly end: number | null; readonly alignment: number }
  | { readonly kind: 'broken'; readonly reason: string };

/** Bytes of one value, by GGUF value type; 8 is a string and 9 an array. */
const VALUE_BYTES: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};
const STRING = 8;
const ARRAY = 9;
const DEFAULT_ALIGNMENT = 32;
const LARGEST_ALIGNMENT = 65536;

/**
 * Walks the header of a GGUF file (version 2 or 3): keys, then tensor descriptions, then the data they point at. Every
 * count and length is held against the size of the file first, so that garbage costs neither memory nor time.
 *
 * @param descriptor open file
 * @param size bytes of the file
 */
export function ggufExtent(descriptor: number, size: number): GgufExtent {
  try {
    const header = new HeaderReader(descriptor, size);
    header.skip(4);
    const version = header.u32();
    if (version !== 2 && version !== 3) return broken(`its version is ${version}, expected 2 or 3`);
    const [tensors, keys] = [header.u64(), header.u64()];
    const alignment = readKeys(header, keys);
    if (!(alignment >= 1 && alignment <= LARGEST_ALIGNMENT)) return broken(`its alignment is ${alignment}`);
    return { kind: 'known', end: readTensors(header, tensors, alignment), alignment };
  } catch (error) {
    if (error instanceof HeaderFault) return broken(error.message);
    throw error;
  }
}

const broken = (reason: string): GgufExtent => ({ kind: 'broken', reason });

class HeaderFault extends Error {}

function readKeys(header: HeaderReader, count: number): number {
  let alignment = DEFAULT_ALIGNMENT;
  for (let i = 0; i < count; i++) {
    const key = header.string();
    const type = header.u32();
    if (key === 'general.alignment' && type === 4) alignment = header.u32();
    else skipValue(header, type, key);
  }
  return alignment;
}

function skipValue(header: HeaderReader, type: number, key: string): void {
  const fixed = VALUE_BYTES[type];
  if (fixed !== undefined) header.skip(fixed);
  else if (type === STRING) header.skip(header.u64());
  else if (type === ARRAY) {
    const [each, count] = [header.u32(), header.u64()];
    const bytes = VALUE_BYTES[each];
    if (bytes !== undefined) header.skip(bytes * count);
    else if (each === STRING) for (let i = 0; i < count; i++) header.skip(header.u64());
    else throw new HeaderFault(`key ${JSON.stringify(key.slice(0, 80))} is an array of the unknown type ${each}`);
  } else throw new HeaderFault(`key ${JSON.stringify(key.slice(0, 80))} has the unknown value type ${type}`);
}

/** End of the last tensor's data, or of the header when there are no tensors (vocabulary files). */
function readTensors(header: HeaderReader, count: number, alignment: number): number | null {
  let last = 0;
  let known = true;
  for (let i = 0; i < count; i++) {
    header.skip(header.u64());
    const dimensions = header.u32();
    if (dimensions > 8) throw new HeaderFault(`tensor ${i + 1} has ${dimensions} dimensions`);
    let elements = 1;
    for (let d = 0; d < dimensions; d++) elements *= header.u64();
    const [type, offset] = [header.u32(), header.u64()];
    const bytes = tensorBytes(type, elements);
    if (bytes === null) known = false;
    else last = Math.max(last, offset + bytes);
  }
  if (!known) return null;
  return count === 0 ? header.position : Math.ceil(header.position / alignment) * alignment + last;
}

/** Little-endian reads from the start of a file, a chunk at a time; past its end is a fault. */
class HeaderReader {
  position = 0;
  private readonly chunk = Buffer.alloc(1 << 18);
  private start = 0;
  private filled = 0;

  constructor(
    private readonly descriptor: number,
    private readonly size: number,
  ) {}

  u32(): number {
    return this.take(4).readUInt32LE(this.at(4));
  }

  /** Exact up to 2^53; anything above is beyond every file and refused where it is used. */
  u64(): number {
    const buffer = this.take(8);
    const at = this.at(8);
    return buffer.readUInt32LE(at) + buffer.readUInt32LE(at + 4) * 2 ** 32;
  }

  string(): string {
    const length = this.u64();
    if (length > 65535) throw new HeaderFault(`a key of ${length} bytes`);
    const buffer = this.take(length);
    return buffer.toString('utf8', this.at(length), this.at(length) + length);
  }

  skip(bytes: number): void {
    if (this.position + bytes > this.size) {
      throw new HeaderFault(`its header goes on beyond the ${this.size} bytes of the file`);
    }
    this.position += bytes;
  }

  /** Makes the next `bytes` available and steps over them. */
  private take(bytes: number): Buffer {
    const from = this.position;
    this.skip(bytes);
    if (from < this.start || from + bytes > this.start + this.filled) {
      this.filled = readSync(this.descriptor, this.chunk, 0, this.chunk.length, from);
      this.start = from;
      if (this.filled < bytes) throw new HeaderFault('it became shorter while it was read');
    }
    return this.chunk;
  }

  private at(bytes: number): number {
    return this.position - bytes - this.start;
  }
}
