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
  for (let n = 0; n < value.length; n++) hash.update(`${n === 0 ? '' : ','}${write(value[n], `$[${n}]`)}`);
  return hash.update(']').digest('hex');
}

/** The text that `contentHash` hashes. */
export function canonicalJson(value: unknown): string {
  return write(value, '$');
}

function write(value: unknown, path: string): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`${path}: ${value} cannot be hashed`);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${Array.from(value, (item, n) => write(item, `${path}[${n}]`)).join(',')}]`;
  if (typeof value !== 'object' || !isPlain(value)) throw new TypeError(`${path}: ${describe(value)} cannot be hashed`);
  const record = value as Record<string, unknown>;
  const members = Object.keys(record)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${write(record[key], `${path}.${key}`)}`);
  return `{${members.join(',')}}`;
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function describe(value: unknown): string {
  return typeof value === 'object' ? `a ${value?.constructor?.name ?? 'value'} object` : `${typeof value}`;
}
