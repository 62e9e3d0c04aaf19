import { getHeapStatistics } from 'node:v8';
import type { Fault } from '../../errors/supportcal-error.js';
import type { SourceRow } from '../../formats/row/source-row.js';
import { textBytes } from '../../formats/row/text-bytes.js';

/** Texts are kept as rows, as examples and in prompts of several forms; a heap holds this part of itself of them. */
const SHARE_OF_HEAP = 1 / 8;

/** Bytes of text that the rows of one data set may hold before the process would die of them. */
export function mostTextBytes(): number {
  return Math.floor(getHeapStatistics().heap_size_limit * SHARE_OF_HEAP);
}

/**
 * Counts the text of rows that are kept.
 *
 * @returns the fault of the row with which a data set holds more text than memory allows; null before
 */
export function textBudget(most = mostTextBytes()): (row: SourceRow) => Fault | null {
  let bytes = 0;
  return (row) => {
    for (const value of Object.values(row.values)) bytes += textBytes(value);
    if (bytes <= most) return null;
    const [mebibytes, id] = [Math.floor(most / 2 ** 20), `${row.number}`];
    const way = 'take fewer rows (`limit`, `sample` or `filter` of the source), or give Node a larger heap';
    const message = `up to this row the texts hold more than ${mebibytes} MiB, which is all that memory allows`;
    return { row: id, message: `${message}; ${way} (NODE_OPTIONS=--max-old-space-size=MEBIBYTES)` };
  };
}
