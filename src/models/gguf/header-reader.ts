import { readSync } from 'node:fs';

/** What is wrong with a header. */
export class HeaderFault extends Error {}

/** Little-endian reads from the start of a file, a chunk at a time; past its end is a fault. */
export class HeaderReader {
  position = 0;
  private readonly chunk = Buffer.alloc(1 << 18);
  private start = 0;
  private filled = 0;

  constructor(
    private readonly descriptor: number,
    private readonly size: number,
  ) {}

  u16(): number {
    return this.take(2).readUInt16LE(this.at(2));
  }

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

/** A name of the header as a message can show it. */
export const quoted = (name: string): string => JSON.stringify(name.slice(0, 80));
