import { getHeapStatistics } from 'node:v8';
import type { Fault } from '../../errors/supportcal-error.js';
import type { SourceRow } from '../../formats/row/source-row.js';
import { textBytes } from '../../formats/row/text-bytes.js';

/** Texts are kept as rows, as examples and in prompts of several forms; a heap holds this part of itself of them. */
const SHARE_OF_HEAP = 1 / 8;

/**
 * A row takes memory however short its texts are: a million of them take 900 MiB of heap beside their texts with
 * examples and prompts (bench/memory-scale.ts), of which this is the share.
 */
const BYTES_PER_ROW = 112;

/** Bytes of text that the rows of one data set may hold before the process would die of them. */
export function mostTextBytes(): number {
  return Math.floor(getHeapStatistics().heap_size_limit * SHARE_OF_HEAP);
}

/**
 * Counts the text of rows that are kept, and the rows.
 *
 * @returns the fault of the row with which a data set holds more text than memory allows; null before
 */
export function textBudget(most = mostTextBytes()): (row: SourceRow) => Fault | null {
  let [bytes, rows] = [0, 0];
  return (row) => {
    bytes += BYTES_PER_ROW;
    rows++;
    for (const value of Object.values(row.values)) bytes += textBytes(value);
    if (bytes <= most) return null;
    const [mebibytes, id] = [Math.floor(most / 2 ** 20), `${row.number}`];
    const way = 'take fewer rows (`limit`, `sample` or `filter` of the source), or give Node a larger heap';
    const held =
      bytes > 2 * rows * BYTES_PER_ROW ? `the texts hold more than ${mebibytes} MiB` : `there are ${rows} rows`;
    const message = `up to this row ${held}, which is all that memory allows`;
    return { row: id, message: `${message}; ${way} (NODE_OPTIONS=--max-old-space-size=MEBIBYTES)` };
  };
}
