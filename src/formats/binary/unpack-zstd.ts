import { compressors } from 'hyparquet-compressors';

const FRAME_MAGIC = 0xfd2fb528;
/** Frames with one of 16 numbers in front of them hold no data. */
const SKIPPABLE_MAGIC = 0x184d2a50;
const MOST_OF_A_BLOCK = 128 * 1024;
/** The window that a frame asks for is memory too; 128 MiB is what the zstd command takes by default. */
const MOST_WINDOW = 2 ** 27;

/**
 * Unpacks zstd frames whose length is known from elsewhere. The decoder goes by what the frames say of themselves, so
 * that a page of 100 bytes could become gigabytes: their headers are looked at first.
 *
 * @param length bytes that come out
 * @throws Error with a plain reason, before anything is unpacked where the frames hold more
 */
export function unpackZstd(packed: Uint8Array, length: number): Uint8Array {
  checkFrames(packed, length);
  const bytes = compressors.ZSTD!(packed, length);
  if (bytes.length !== length) throw new Error(`a zstd frame unpacks to ${bytes.length} bytes, not to ${length}`);
  return bytes;
}

function checkFrames(packed: Uint8Array, length: number): void {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  let [at, least, most] = [0, 0, 0];
  try {
    while (at < packed.length) {
      const magic = view.getUint32(at, true);
      if ((magic & 0xfffffff0) === SKIPPABLE_MAGIC) {
        at += 8 + view.getUint32(at + 4, true);
        continue;
      }
      if (magic !== FRAME_MAGIC) throw new Error('no zstd frame begins where one should');
      const frame = frameAt(view, at);
      at = frame.end;
      least += frame.least;
      most += frame.most;
    }
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new Error('a zstd frame is cut', { cause });
  }
  if (least > length) throw new Error(`a zstd frame unpacks to ${least} bytes or more, not to ${length}`);
  // Writers that stream leave the size out and may end blocks early, by which the bound is a few blocks too high.
  if (most > 2 * length + 16 * MOST_OF_A_BLOCK)
    throw new Error(`a zstd frame may unpack to ${most} bytes, far more than the ${length} of its data`);
}

/** Where a frame ends, and between which sizes that lies to which it unpacks. */
function frameAt(view: DataView, start: number): { end: number; least: number; most: number } {
  const flags = view.getUint8(start + 4);
  const single = (flags & 0x20) !== 0;
  let at = start + 5;
  const window = single ? 0 : windowOf(view.getUint8(at++));
  if (window > MOST_WINDOW)
    throw new Error(`a zstd frame asks for a window of ${window} bytes, at most ${MOST_WINDOW}`);
  at += [0, 1, 2, 4][flags & 3] ?? 0;
  const size = contentSize(view, at, { code: flags >> 6, single });
  at += size.bytes;
  let [least, most] = [0, 0];
  for (let last = false; !last; ) {
    const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
    const [kind, count] = [(header >> 1) & 3, header >> 3];
    last = (header & 1) === 1;
    // A block of kind 1 is one byte, repeated; one of kind 0 stands as it is.
    at += 3 + (kind === 1 ? 1 : count);
    least += kind < 2 ? count : 0;
    most += kind < 2 ? count : MOST_OF_A_BLOCK;
  }
  if (at > view.byteLength) throw new RangeError('a block reaches outside the frame');
  const end = at + ((flags & 4) === 0 ? 0 : 4);
  return { end, least: size.value ?? least, most: size.value ?? most };
}

function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

/** The size that a frame says it unpacks to; null where it says none. */
function contentSize(
  view: DataView,
  at: number,
  { code, single }: { readonly code: number; readonly single: boolean },
) {
  if (code === 0) return single ? { bytes: 1, value: view.getUint8(at) } : { bytes: 0, value: null };
  if (code === 1) return { bytes: 2, value: view.getUint16(at, true) + 256 };
  if (code === 2) return { bytes: 4, value: view.getUint32(at, true) };
  return { bytes: 8, value: Number(view.getBigUint64(at, true)) };
}
