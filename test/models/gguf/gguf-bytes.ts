/** Builds tiny GGUF files (version 3) byte by byte. */

export const u32 = (value: number) => {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
};

export const u64 = (value: bigint | number) => {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt(value));
  return buffer;
};

export const text = (value: string) => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);

/**
 * A key of type uint32, one of type string array, and one F16 tensor of 5 x 3 = 30 bytes behind a header of 32 n bytes.
 */
export function ggufBytes({ tensorType = 1 } = {}): Buffer {
  const header = Buffer.concat([
    Buffer.from('GGUF'),
    u32(3),
    u64(1),
    u64(2),
    text('general.alignment'),
    u32(4),
    u32(32),
    text('tokenizer.ggml.tokens'),
    u32(9),
    u32(8),
    u64(3),
    ...['a', 'bc', 'é'].map(text),
    text('output.weight'),
    u32(2),
    u64(5),
    u64(3),
    u32(tensorType),
    u64(0),
  ]);
  return Buffer.concat([header, Buffer.alloc((32 - (header.length % 32)) % 32), Buffer.alloc(30, 1)]);
}

export interface GgufTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: number;
  readonly offset: number;
}

export const u32Key = (name: string, value: number) => Buffer.concat([text(name), u32(4), u32(value)]);

/** A file with these tensor descriptions, true or not, and 32 bytes of data for each. */
export function tensorFile(tensors: readonly GgufTensor[], keys: readonly Buffer[] = []): Buffer {
  const header = Buffer.concat([
    Buffer.from('GGUF'),
    u32(3),
    u64(tensors.length),
    u64(keys.length),
    ...keys,
    ...tensors.flatMap(({ name, shape, type, offset }) => [
      text(name),
      u32(shape.length),
      ...shape.map(u64),
      u32(type),
      u64(offset),
    ]),
  ]);
  return Buffer.concat([header, Buffer.alloc((32 - (header.length % 32)) % 32), Buffer.alloc(32 * tensors.length)]);
}
