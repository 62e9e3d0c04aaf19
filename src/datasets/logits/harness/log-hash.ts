import { createHash } from 'node:crypto';
import type { RowValue } from '../../../formats/row/source-row.js';

/** A hash of values of a log, for logs that bring none of their own. */
export function logHash(values: readonly RowValue[]): string {
  const text = JSON.stringify(values, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
  return createHash('sha256').update(text).digest('hex');
}
