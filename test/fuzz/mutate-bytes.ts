import type { Random } from './random.js';

/** Lengths and offsets that break decoders: nothing, minus one, the largest, one above a page. */
const NUMBERS = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), 2 ** 30, 65536, 7, 255];

/** A copy with 1 to 4 changes: flipped bits or bytes, a cut, bytes put in or taken out, a length field overwritten. */
export function mutateBytes(good: Uint8Array, random: Random): Buffer {
  let bytes: Buffer = Buffer.from(good);
  const changes = 1 + random.below(4);
  for (let n = 0; n < changes && bytes.length > 0; n++) bytes = random.pick(CHANGES)(bytes, random);
  return bytes;
}

const CHANGES: ReadonlyArray<(bytes: Buffer, random: Random) => Buffer> = [
  (bytes, random) => {
    bytes[random.below(bytes.length)]! ^= 1 << random.below(8);
    return bytes;
  },
  (bytes, random) => {
    bytes[random.below(bytes.length)] = random.below(256);
    return bytes;
  },
  (bytes, random) => {
    if (bytes.length < 8) return bytes;
    bytes.writeInt32LE(random.pick(NUMBERS), random.below(Math.floor((bytes.length - 4) / 4)) * 4);
    return bytes;
  },
  (bytes, random) => {
    if (bytes.length < 16) return bytes;
    bytes.writeBigInt64LE(BigInt(random.pick(NUMBERS)), random.below(Math.floor((bytes.length - 8) / 8)) * 8);
    return bytes;
  },
  (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  (bytes, random) => {
    const at = random.below(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.min(bytes.length, at + 1 + random.below(40)))]);
  },
  (bytes, random) => {
    const [at, from] = [random.below(bytes.length), random.below(bytes.length)];
    const piece = bytes.subarray(from, from + 1 + random.below(64));
    return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
  },
  (bytes, random) => {
    const [to, from] = [random.below(bytes.length), random.below(bytes.length)];
    bytes.copy(bytes, to, from, Math.min(bytes.length, from + 1 + random.below(64)));
    return bytes;
  },
];
