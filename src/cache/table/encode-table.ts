import { decodeArrowFile } from '../../arrow/decode-arrow-file.js';
import { encodeArrowFile } from '../../arrow/encode-arrow-file.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { columnsOf, type ScoreTable, sameTable, tableOf } from './score-table.js';

/**
 * A table as Arrow bytes that were decoded again and compared value by value, since apache-arrow can drop rows on
 * writing without an error.
 *
 * @throws SupportCalError internal when what reads back is not what was written
 */
export function encodeTable(table: ScoreTable, precision: 'float32' | 'float64'): Uint8Array {
  const bytes = encodeArrowFile(columnsOf(table, precision));
  if (!sameTable(table, decodeTable(bytes), precision)) {
    throw new SupportCalError(
      'internal',
      `${table.ids.length} rows do not read back as they were written; nothing was saved`,
    );
  }
  return bytes;
}

/** The table in Arrow bytes whose checksum was compared before. Throws with a plain reason. */
export function decodeTable(bytes: Uint8Array): ScoreTable {
  return tableOf(decodeArrowFile(bytes));
}
