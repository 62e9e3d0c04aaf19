import { HeaderFault, type HeaderReader, quoted } from './header-reader.js';
import { tensorBytes } from './tensor-bytes.js';
import type { TensorShape } from './tensor-fault.js';

/** As in llama.cpp: GGML_MAX_DIMS, and GGML_MAX_NAME with its closing zero. */
const MOST_DIMENSIONS = 4;
const LONGEST_NAME = 63;

/**
 * Walks the tensor descriptions of a GGUF header. Gives them, and the end of the last tensor's data, or of the header
 * when there are no tensors (vocabulary files); null when a tensor is of an unknown type.
 *
 * @throws HeaderFault what llama.cpp refuses too: a name twice, data with a gap, an overlap or in another order
 */
export function readTensors(
  header: HeaderReader,
  count: number,
  alignment: number,
): { readonly end: number | null; readonly tensors: readonly TensorShape[] } {
  const names = new Set<string>();
  const tensors: TensorShape[] = [];
  let last = 0;
  /** Where the next tensor's data must begin; null after one of a type whose size nobody here knows. */
  let expected: number | null = 0;
  let known = true;
  for (let i = 0; i < count; i++) {
    const { name, shape, type, offset, bytes } = readTensor(header, i + 1);
    if (names.has(name)) throw new HeaderFault(`the tensor ${quoted(name)} occurs twice`);
    names.add(name);
    tensors.push({ name, shape, type });
    const where = expected === null ? offset % alignment === 0 && offset >= last : offset === expected;
    if (!where) {
      const right = expected === null ? `${last} or more, a multiple of ${alignment}` : `${expected}`;
      throw new HeaderFault(`the data of tensor ${quoted(name)} begin at ${offset}, expected ${right}`);
    }
    last = offset + (bytes ?? 0);
    expected = bytes === null ? null : Math.ceil(last / alignment) * alignment;
    known &&= bytes !== null;
  }
  if (!known) return { end: null, tensors };
  const end = count === 0 ? header.position : Math.ceil(header.position / alignment) * alignment + last;
  return { end, tensors };
}

function readTensor(header: HeaderReader, number: number) {
  const name = header.string();
  if (Buffer.byteLength(name) > LONGEST_NAME) throw new HeaderFault(`tensor ${number} has the name ${quoted(name)}`);
  const dimensions = header.u32();
  if (dimensions > MOST_DIMENSIONS) throw new HeaderFault(`tensor ${quoted(name)} has ${dimensions} dimensions`);
  const shape = Array.from({ length: dimensions }, () => header.u64());
  const [type, offset] = [header.u32(), header.u64()];
  const bytes = tensorBytes(type, shape);
  if (bytes === 'uneven') throw new HeaderFault(`tensor ${quoted(name)} has rows that are no whole blocks of its type`);
  return { name, shape, type, offset, bytes };
}
