import { type RowValue, setField } from './source-row.js';

/**
 * A cell of a binary table as the same value that a JSON file would give: 64-bit integers that fit a double become
 * numbers, dates ISO 8601 text, bytes hexadecimal text, typed arrays lists.
 */
export function plainCell(value: unknown): RowValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== 'object') return value as RowValue;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(plainCell);
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number | bigint>, plainCell);
  const object: Record<string, RowValue> = {};
  for (const [key, inner] of Object.entries(value)) setField(object, key, plainCell(inner));
  return object;
}
