import { createHash } from 'node:crypto';
import { type RowValue, setField } from '../row/source-row.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that no text has
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * A cell of a binary table as the same value that a JSON file would give: 64-bit integers that fit a double become
 * numbers, dates ISO 8601 text, typed arrays lists. Bytes that are UTF-8 without control characters become that text
 * (older writers do not mark their text columns); other bytes are no text, and an object `{bytes, sha256}` stands for
 * them.
 */
export function plainCell(value: unknown): RowValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== 'object') return value as RowValue;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return bytesCell(value);
  if (Array.isArray(value)) return value.map(plainCell);
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number | bigint>, plainCell);
  const object: Record<string, RowValue> = {};
  for (const [key, inner] of Object.entries(value)) setField(object, key, plainCell(inner));
  return object;
}

function bytesCell(bytes: Uint8Array): RowValue {
  return textOf(bytes) ?? { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

function textOf(bytes: Uint8Array): string | null {
  try {
    const text = utf8.decode(bytes);
    return CONTROL.test(text) ? null : text;
  } catch {
    return null;
  }
}
