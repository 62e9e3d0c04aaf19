import type { RowValue } from '../../../formats/row/source-row.js';

/** A number of a log, written as such or as text (Python's `str`); NaN for null; undefined: no number at all. */
export function logNumber(value: RowValue | undefined): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value === null) return Number.NaN;
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (/^(nan|none)$/i.test(text)) return Number.NaN;
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
}
