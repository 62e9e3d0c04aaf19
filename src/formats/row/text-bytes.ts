import type { RowValue } from './source-row.js';

/** Text that a reader holds before it hands its rows on, however few they are. */
export const BATCH_BYTES = 4 * 2 ** 20;

const BEYOND_LATIN_1 = /[\u0100-\uffff]/;

/** Memory that the texts of a value take: one byte for a character, two where a text leaves Latin-1. */
export function textBytes(value: RowValue): number {
  if (typeof value === 'string') return BEYOND_LATIN_1.test(value) ? 2 * value.length : value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = 0;
  for (const inner of Object.values(value as Readonly<Record<string, RowValue>>)) bytes += textBytes(inner);
  return bytes;
}
