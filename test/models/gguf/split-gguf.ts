import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tensorBytes } from '../../../src/models/gguf/tensor-bytes.js';
import { text, u32, u64 } from './gguf-bytes.js';

const ALIGNMENT = 32;
const VALUE_BYTES = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];

/** Writes a GGUF file as `parts` files, as llama.cpp's gguf-split does; gives the path of the first. */
export function splitGguf(file: string, parts: number, folder: string): string {
  const bytes = readFileSync(file);
  const { keys, keyCount, tensors, dataStart } = walk(bytes);
  mkdirSync(folder, { recursive: true });
  const each = Math.ceil(tensors.length / parts);
  const names = Array.from({ length: parts }, (_, n) => {
    const mine = tensors.slice(n * each, (n + 1) * each);
    const own = [u16Key('split.no', n), u16Key('split.count', parts), tensorCountKey(tensors.length)];
    let offset = 0;
    const infos: Buffer[] = [];
    const data: Buffer[] = [];
    for (const tensor of mine) {
      const content = bytes.subarray(dataStart + tensor.offset, dataStart + tensor.offset + tensor.bytes);
      infos.push(tensor.head, u64(offset));
      data.push(content, Buffer.alloc((ALIGNMENT - (content.length % ALIGNMENT)) % ALIGNMENT));
      offset += data.at(-2)!.length + data.at(-1)!.length;
    }
    const head = [Buffer.from('GGUF'), u32(3), u64(mine.length), u64(n === 0 ? keyCount + 3 : 3)];
    const header = Buffer.concat([...head, ...(n === 0 ? [keys] : []), ...own, ...infos]);
    const padding = Buffer.alloc((ALIGNMENT - (header.length % ALIGNMENT)) % ALIGNMENT);
    const number = (value: number) => String(value).padStart(5, '0');
    const name = path.join(folder, `split-${number(n + 1)}-of-${number(parts)}.gguf`);
    writeFileSync(name, Buffer.concat([header, padding, ...data]));
    return name;
  });
  return names[0]!;
}

function u16Key(name: string, value: number): Buffer {
  return Buffer.concat([text(name), u32(2), Buffer.from([value & 255, value >> 8])]);
}

const tensorCountKey = (count: number) => Buffer.concat([text('split.tensors.count'), u32(5), u32(count)]);

function walk(bytes: Buffer) {
  let at = 24;
  const step = (count: number) => {
    at += count;
    return at - count;
  };
  const number = () => Number(bytes.readBigUInt64LE(step(8)));
  const word = () => bytes.readUInt32LE(step(4));
  const skipText = () => {
    const length = number();
    step(length);
  };
  const skip = (type: number) => {
    if (type === 8) skipText();
    else if (type === 9) for (let each = word(), count = number(); count > 0; count--) skip(each);
    else step(VALUE_BYTES[type]!);
  };
  const keyCount = Number(bytes.readBigUInt64LE(16));
  for (let k = 0; k < keyCount; k++) {
    skipText();
    skip(word());
  }
  const keys = bytes.subarray(24, at);
  const tensors = Array.from({ length: Number(bytes.readBigUInt64LE(8)) }, () => {
    const start = at;
    skipText();
    const shape = Array.from({ length: word() }, number);
    const size = tensorBytes(word(), shape) as number;
    return { head: bytes.subarray(start, at), offset: number(), bytes: size };
  });
  return { keys, keyCount, tensors, dataStart: Math.ceil(at / ALIGNMENT) * ALIGNMENT };
}
