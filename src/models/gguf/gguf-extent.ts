import { readTensors } from './gguf-tensors.js';
import { HeaderFault, HeaderReader, quoted } from './header-reader.js';
import type { ModelLayout, TensorShape } from './tensor-fault.js';

/** Keys of the header that say what the file is for; null where it lacks them. */
export interface GgufPurpose extends ModelLayout {
  /** `general.type`: "model", "adapter" and others. */
  readonly type: string | null;
  /** `split.no` (from 0) and `split.count` of a part of a split model. */
  readonly part: number | null;
  readonly parts: number | null;
}

/** Where a GGUF file should end. `end` null: a tensor type this tool does not know, so only llama.cpp can tell. */
export type GgufExtent =
  | {
      readonly kind: 'known';
      readonly end: number | null;
      readonly alignment: number;
      readonly purpose: GgufPurpose;
      readonly tensors: readonly TensorShape[];
    }
  | { readonly kind: 'broken'; readonly reason: string }
  /** Nothing is damaged: it is of a version that nobody here reads. */
  | { readonly kind: 'other'; readonly message: string };

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
/** No model has more; walking what a false count claims would take minutes in a file of many gigabytes. */
const MOST_KEYS = 65_536;
const MOST_TENSORS = 1_048_576;
const MOST_STRINGS = 16_777_216;
const DEFAULT_ALIGNMENT = 32;
const LARGEST_ALIGNMENT = 65536;

/**
 * Walks the header of a GGUF file (version 2 or 3): keys, then tensor descriptions, then the data they point at. Every
 * count and length is held against the size of the file first, so that garbage costs neither memory nor time. As in
 * llama.cpp, no key and no tensor occurs twice, and the tensors' data follow each other without gap or overlap.
 *
 * @param descriptor open file
 * @param size bytes of the file
 */
export function ggufExtent(descriptor: number, size: number): GgufExtent {
  try {
    const header = new HeaderReader(descriptor, size);
    header.skip(4);
    const version = header.u32();
    if (version !== 2 && version !== 3) return otherVersion(version);
    const [tensors, keys] = [header.u64(), header.u64()];
    if (keys > MOST_KEYS || tensors > MOST_TENSORS) return broken(`it claims ${keys} keys and ${tensors} tensors`);
    const { alignment, ...purpose } = readKeys(header, keys);
    const aligns = alignment >= 1 && alignment <= LARGEST_ALIGNMENT && Number.isInteger(Math.log2(alignment));
    if (!aligns) return broken(`its alignment is ${alignment}, expected a power of two`);
    return { kind: 'known', ...readTensors(header, tensors, alignment), alignment, purpose };
  } catch (error) {
    if (error instanceof HeaderFault) return broken(error.message);
    throw error;
  }
}

const broken = (reason: string): GgufExtent => ({ kind: 'broken', reason });

function otherVersion(version: number): GgufExtent {
  const other = (what: string, advice: string): GgufExtent => ({ kind: 'other', message: `is ${what}; ${advice}` });
  const convert = 'convert the model with a current llama.cpp, or fetch another file of it';
  if (version === 1) return other('of version 1 of GGUF, which llama.cpp reads no more', convert);
  const swapped = Buffer.alloc(4);
  swapped.writeUInt32BE(version);
  if ([1, 2, 3].includes(swapped.readUInt32LE()))
    return other('a GGUF file for big-endian machines', 'fetch the usual file of the model');
  if (version > 3 && version < 100)
    return other(`of version ${version} of GGUF, of which 2 and 3 are known`, 'use a newer SupportCal');
  return broken(`its version is ${version}, expected 2 or 3`);
}

const UINT16 = 2;
const UINT32 = 4;
const SIZES = /\.(block_count|embedding_length|feed_forward_length|attention\.head_count)$/;
/** Sizes that llama.cpp ends without, some with the process. */
const NEEDED = ['block_count', 'embedding_length', 'attention.head_count'];

function readKeys(header: HeaderReader, count: number): GgufPurpose & { readonly alignment: number } {
  const found = {
    alignment: DEFAULT_ALIGNMENT,
    type: null as string | null,
    architecture: null as string | null,
    part: null as number | null,
    parts: null as number | null,
    vocabulary: null as number | null,
  };
  const keys = new Set<string>();
  /** Numbers that belong to an architecture, which may be named behind them. */
  const sizes = new Map<string, number>();
  const lists = new Set<string>();
  for (let i = 0; i < count; i++) {
    const key = header.string();
    if (keys.has(key)) throw new HeaderFault(`the key ${quoted(key)} occurs twice`);
    keys.add(key);
    const type = header.u32();
    if (key === 'general.alignment' && type === UINT32) found.alignment = header.u32();
    else if (key === 'general.type' && type === STRING) found.type = header.string();
    else if (key === 'general.architecture' && type === STRING) found.architecture = header.string();
    else if (key === 'split.no' && type === UINT16) found.part = header.u16();
    else if (key === 'split.count' && type === UINT16) found.parts = header.u16();
    else if (SIZES.test(key) && type === UINT32) sizes.set(key, header.u32());
    else {
      const entries = skipValue(header, type, key);
      if (key === 'tokenizer.ggml.tokens') found.vocabulary = entries;
      if (entries !== null) lists.add(key);
    }
  }
  const size = (name: string) => sizes.get(`${found.architecture}.${name}`) ?? null;
  const needed = NEEDED.map((name) => `${found.architecture}.${name}`);
  // A list has one number for each block.
  const wrong = needed.find((key) => !lists.has(key) && !((sizes.get(key) ?? 0) > 0));
  const how = wrong !== undefined && keys.has(wrong) ? 'has no whole number above 0 under' : 'lacks';
  return {
    ...found,
    keyFault: wrong === undefined ? null : `${how} the key ${quoted(wrong)}`,
    blocks: size('block_count'),
    embedding: size('embedding_length'),
    feedForward: size('feed_forward_length'),
  };
}

/** Entries of an array; null for any other value. */
function skipValue(header: HeaderReader, type: number, key: string): number | null {
  const fixed = VALUE_BYTES[type];
  if (fixed !== undefined) header.skip(fixed);
  else if (type === STRING) header.skip(header.u64());
  else if (type === ARRAY) {
    const [each, count] = [header.u32(), header.u64()];
    const bytes = VALUE_BYTES[each];
    if (bytes !== undefined) header.skip(bytes * count);
    else if (each === STRING && count > MOST_STRINGS) throw new HeaderFault(`an array of ${count} texts`);
    else if (each === STRING) for (let i = 0; i < count; i++) header.skip(header.u64());
    else throw new HeaderFault(`key ${quoted(key)} is an array of the unknown type ${each}`);
    return count;
  } else throw new HeaderFault(`key ${quoted(key)} has the unknown value type ${type}`);
  return null;
}
