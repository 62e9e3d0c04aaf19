import { createHash, type Hash } from 'node:crypto';

/**
 * sha256 (hex) of a value of plain objects, lists, maps, typed arrays and primitives, bit by bit: NaN has a hash, and
 * so has -0. Unlike that of `contentHash` it depends on the order of keys, and arrays of numbers go in as they lie in
 * memory. An object that comes again counts as what it was the first time.
 *
 * @throws TypeError for functions, symbols and instances of other classes, which could differ where their hashes do not
 */
export function valueHash(value: unknown): string {
  const hash = createHash('sha256');
  add({ hash, known: new Map() }, value);
  return hash.digest('hex');
}

interface Hashing {
  readonly hash: Hash;
  /** Objects with the number under which they were met. */
  readonly known: Map<object, number>;
}

function add(hashing: Hashing, value: unknown): void {
  const { hash, known } = hashing;
  if (typeof value === 'function' || typeof value === 'symbol') throw new TypeError(`a ${typeof value} has no hash`);
  if (typeof value !== 'object' || value === null) {
    addText(hash, typeof value, primitiveText(value));
    return;
  }
  const number = known.get(value);
  if (number !== undefined) {
    hash.update(`again ${number};`);
    return;
  }
  known.set(value, known.size);
  if (ArrayBuffer.isView(value)) addBytes(hash, value);
  else if (Array.isArray(value)) addList(hashing, value);
  else if (value instanceof Map) addList(hashing, [...value].flat(), 'map');
  else if (isPlain(value)) addList(hashing, Object.entries(value).flat(), 'object');
  else throw new TypeError(`an object of the class ${value.constructor?.name} has no hash`);
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** JSON writes -0 as 0. */
function primitiveText(value: unknown): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

function addText(hash: Hash, kind: string, text: string): void {
  hash.update(`${kind} ${text.length} `).update(text);
}

/** Arrays in shared memory are hashed where they lie. */
function addBytes(hash: Hash, view: ArrayBufferView): void {
  hash.update(`${view.constructor.name} ${view.byteLength} `);
  hash.update(new Uint8Array(view.buffer as ArrayBuffer, view.byteOffset, view.byteLength));
}

function addList(hashing: Hashing, list: readonly unknown[], kind = 'list'): void {
  hashing.hash.update(`${kind} ${list.length} `);
  // A long list of ids is one text.
  const areTexts = list.length > 0 && list.every((item) => typeof item === 'string');
  if (areTexts) addText(hashing.hash, 'texts', JSON.stringify(list));
  else for (const item of list) add(hashing, item);
}
