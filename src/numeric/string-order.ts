/** Below, a comparison sort is as fast; longer strings take more passes than comparisons. */
const LEAST_COUNT = 5_000;
const LONGEST = 40;

/**
 * Indexes of strings in ascending order of their UTF-16 code units, equal strings in the order of the list. Many short
 * strings of single-byte characters (ids) are put in order by their last characters, then by those before, and so on,
 * which compares nothing: several times faster than sorting a million ids and looking each up again.
 */
export function stringOrder(strings: readonly string[]): Int32Array {
  const order = new Int32Array(strings.length);
  for (let n = 0; n < order.length; n++) order[n] = n;
  if (isAscending(strings)) return order;
  const columns = strings.length < LEAST_COUNT ? null : characterColumns(strings);
  if (columns === null) return order.sort((a, b) => compareStrings(strings[a]!, strings[b]!) || a - b);
  return keyColumns(columns).reduceRight(byKey, order);
}

function isAscending(strings: readonly string[]): boolean {
  let last = '';
  for (const string of strings) {
    if (last > string) return false;
    last = string;
  }
  return true;
}

/**
 * Per position its character code + 1 in every string, 0 past the end; null when a string is long or has other
 * characters.
 */
function characterColumns(strings: readonly string[]): Uint8Array[] | null {
  let longest = 0;
  for (const string of strings) longest = Math.max(longest, string.length);
  if (longest > LONGEST) return null;
  const columns = Array.from({ length: longest }, () => new Uint8Array(strings.length));
  for (const [n, string] of strings.entries()) {
    for (let at = 0; at < string.length; at++) {
      const code = string.charCodeAt(at);
      if (code > 254) return null;
      columns[at]![n] = code + 1;
    }
  }
  return columns;
}

/** Keys of one pass of the sort below: more of them would leave the caches of a processor. */
const MOST_KEYS = 4096;

/** A column of keys, each from 0 to `count` - 1. */
interface KeyColumn {
  readonly keys: Uint16Array;
  readonly count: number;
}

/**
 * Fewer columns that give the same order: neighbours are put together, the characters that occur in each numbered
 * anew, so that six digits are two passes. A column of one character alone says nothing and is left out.
 */
function keyColumns(columns: readonly Uint8Array[]): KeyColumn[] {
  const joined: KeyColumn[] = [];
  for (const column of columns) {
    const { numberOf, count } = numbered(column);
    if (count === 1) continue;
    const last = joined.at(-1);
    if (last !== undefined && last.count * count <= MOST_KEYS) {
      for (let n = 0; n < column.length; n++) last.keys[n] = last.keys[n]! * count + numberOf[column[n]!]!;
      joined[joined.length - 1] = { keys: last.keys, count: last.count * count };
    } else {
      const keys = new Uint16Array(column.length);
      for (let n = 0; n < keys.length; n++) keys[n] = numberOf[column[n]!]!;
      joined.push({ keys, count });
    }
  }
  return joined;
}

/** The codes that occur in a column, numbered in their order. */
function numbered(column: Uint8Array): { readonly numberOf: Uint8Array; readonly count: number } {
  const numberOf = new Uint8Array(256);
  for (let n = 0; n < column.length; n++) numberOf[column[n]!] = 1;
  let count = 0;
  for (let code = 0; code < 256; code++) if (numberOf[code] === 1) numberOf[code] = count++;
  return { numberOf, count };
}

/** One pass of a stable counting sort. */
function byKey(order: Int32Array, { keys, count }: KeyColumn): Int32Array {
  const starts = new Int32Array(count + 1);
  for (let n = 0; n < keys.length; n++) starts[keys[n]! + 1]!++;
  for (let key = 1; key <= count; key++) starts[key]! += starts[key - 1]!;
  const sorted = new Int32Array(order.length);
  for (let i = 0; i < order.length; i++) {
    const n = order[i]!;
    sorted[starts[keys[n]!]!++] = n;
  }
  return sorted;
}

/** Order of two strings by their UTF-16 code units, whatever the locale: negative, 0 or positive. */
export function compareStrings(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
