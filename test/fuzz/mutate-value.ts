import { STRANGE } from './mutate-text.js';
import type { Random } from './random.js';

type Tree = { [key: string]: unknown } | unknown[];

const KEYS = ['__proto__', 'constructor', 'toString', 'prototype', '', 'a.b', 'id', 'ID', 'é', '0', 'length'];

/** A deep copy of JSON-like data with 1 to 3 structural changes: fields gone, renamed, retyped, nested, repeated. */
export function mutateValue<T>(good: T, random: Random): T {
  const copy = structuredClone(good);
  const changes = 1 + random.below(3);
  for (let n = 0; n < changes; n++) changeOne(copy, random);
  return copy;
}

/** A value of another kind than most fields expect. */
function strangeValue(random: Random): unknown {
  return random.pick<() => unknown>([
    () => null,
    () => true,
    () => random.below(5) - 2,
    () => random.pick([1e308, -1e-320, 0.1, 2 ** 53, -1, 1.5, 26, 27, -0]),
    () => random.pick(STRANGE),
    () => '',
    () => [],
    () => ({}),
    () => [random.pick(STRANGE), random.below(9)],
    () => Array.from({ length: 27 + random.below(9) }, (_, n) => `o${n}`),
    () => ({ [random.pick(KEYS)]: random.pick(STRANGE) }),
    () => 'x'.repeat(10 + random.below(5_000)),
    () => nested(random.below(300)),
  ])();
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let n = 0; n < depth; n++) value = n % 2 === 0 ? [value] : { a: value };
  return value;
}

function changeOne(root: unknown, random: Random): void {
  const parent = random.pick(trees(root));
  if (parent === undefined) return;
  const keys = Object.keys(parent);
  if (keys.length === 0) return;
  const key = random.pick(keys);
  const fields = parent as Record<string, unknown>;
  const value = fields[key];
  switch (random.below(6)) {
    case 0:
      if (Array.isArray(parent)) parent.splice(Number(key), 1);
      else delete fields[key];
      return;
    case 1:
      if (Array.isArray(parent)) parent.reverse();
      else {
        own(fields, random.pick([...KEYS, `${key}x`, key.toUpperCase()]), value);
        if (random.chance(0.5)) delete fields[key];
      }
      return;
    case 2:
      fields[key] = random.pick<unknown>([
        [value],
        { value },
        JSON.stringify(value) ?? '',
        Number.parseFloat(JSON.stringify(value) ?? ''),
      ]);
      return;
    case 3:
      if (Array.isArray(parent)) parent.splice(Number(key), 0, structuredClone(value));
      else own(fields, random.pick(keys), structuredClone(value));
      return;
    default:
      fields[key] = strangeValue(random);
  }
}

function trees(value: unknown): Tree[] {
  if (value === null || typeof value !== 'object') return [];
  return [value as Tree, ...Object.values(value).flatMap(trees)];
}

/** `__proto__` as a field of its own. */
function own(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}
