import { expect, it } from 'vitest';
import { unpackZstd } from '../../../src/formats/binary/unpack-zstd.js';

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
/** A block of one byte that is repeated, the last of its frame or not. */
const repeated = (count: number, last: boolean) => {
  const header = (count << 3) | 2 | (last ? 1 : 0);
  return [header & 255, (header >> 8) & 255, header >> 16, 0x61];
};
/** A frame that does not say to how many bytes it unpacks, with a window of 1 MiB unless told. */
const frame = (blocks: number, window = 10 << 3) =>
  Uint8Array.from([
    ...MAGIC,
    0,
    window,
    ...Array.from({ length: blocks }, (_, n) => repeated(1_000, n === blocks - 1)).flat(),
  ]);
/** A frame that says so in 8 bytes. */
const sized = (size: bigint) => {
  const header = Buffer.alloc(8);
  header.writeBigUInt64LE(size);
  return Uint8Array.from([...MAGIC, 0xe0, ...header, ...repeated(1_000, true)]);
};

it('unpacks one frame or several to the length that they must have', () => {
  expect(Buffer.from(unpackZstd(frame(3), 3_000)).toString()).toBe('a'.repeat(3_000));
  expect(unpackZstd(Buffer.concat([frame(1), sized(1_000n)]), 2_000)).toHaveLength(2_000);
});

it('refuses frames that hold more or fewer bytes, before they are unpacked where they hold more', () => {
  expect(() => unpackZstd(frame(3), 100)).toThrow('a zstd frame unpacks to 3000 bytes or more, not to 100');
  expect(() => unpackZstd(sized(2n ** 40n), 1_000)).toThrow('unpacks to 1099511627776 bytes or more, not to 1000');
  expect(() => unpackZstd(frame(3), 4_000)).toThrow('unpacks to 3000 bytes, not to 4000');
  // Packed blocks may have 128 KiB each; 100 of them do not make 1,000 bytes.
  const block = [(5 << 3) | 4, 0, 0, 1, 2, 3, 4, 5];
  const packed = Uint8Array.from([
    ...MAGIC,
    0,
    10 << 3,
    ...Array.from({ length: 100 }, () => block).flat(),
    ...repeated(1, true),
  ]);
  expect(() => unpackZstd(packed, 1_000)).toThrow(/may unpack to 13107201 bytes, far more than the 1000/);
});

it('refuses windows that are memory of their own, cut frames and bytes that are none', () => {
  expect(() => unpackZstd(frame(1, 20 << 3), 1_000)).toThrow(
    /asks for a window of 1073741824 bytes, at most 134217728/,
  );
  for (let length = 1; length < frame(3).length; length++)
    expect(() => unpackZstd(frame(3).subarray(0, length), 3_000)).toThrow(/is cut|no zstd frame/);
  expect(() => unpackZstd(Uint8Array.from([1, 2, 3, 4, 5]), 5)).toThrow('no zstd frame begins where one should');
});
