import { createHash } from 'node:crypto';

/**
 * sha256 (hex) of the canonical JSON of a value: object keys sorted by code units, no white space. Two values of the
 * same content have the same hash, whatever the order of their keys.
 *
 * @throws TypeError for what JSON cannot carry (NaN, Infinity, undefined, functions, bigint, class instances), since
 *   it would otherwise hash as if it were null or absent
 */
export function contentHash(value: unknown): string {
  const hash = createHash('sha256');
  if (!Array.isArray(value)) return hash.update(canonicalJson(value)).digest('hex');
  // A long list goes in item by item: as one text, a million prompts would be longer than a string can be.
  hash.update('[');
  // By index, so that a hole is met and refused.
  for (let n = 0; n < value.length; n++) {
    const item = write(value[n], () => `$[${n}]`);
    hash.update(n === 0 ? item : `,${item}`);
  }
  return hash.update(']').digest('hex');
}

/** The text that `contentHash` hashes. */
export function canonicalJson(value: unknown): string {
  return write(value, () => '$');
}

/** `place` says where the value stands; it is asked only for a value that cannot be hashed. */
function write(value: unknown, place: () => string): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`${place()}: ${value} cannot be hashed`);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return writeList(value, place);
  if (typeof value !== 'object' || !isPlain(value)) {
    throw new TypeError(`${place()}: ${describe(value)} cannot be hashed`);
  }
  const record = value as Record<string, unknown>;
  let text = '';
  for (const key of Object.keys(record).sort()) {
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${write(record[key], () => `${place()}.${key}`)}`;
  }
  return `{${text}}`;
}

function writeList(list: readonly unknown[], place: () => string): string {
  let text = '';
  for (let n = 0; n < list.length; n++) text += `${n === 0 ? '' : ','}${write(list[n], () => `${place()}[${n}]`)}`;
  return `[${text}]`;
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function describe(value: unknown): string {
  return typeof value === 'object' ? `a ${value?.constructor?.name ?? 'value'} object` : `${typeof value}`;
}
