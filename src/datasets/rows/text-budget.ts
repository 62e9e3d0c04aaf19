import { getHeapStatistics } from 'node:v8';
import type { Fault } from '../../errors/supportcal-error.js';
import type { RowValue, SourceRow } from '../../formats/row/source-row.js';

/** Texts are kept as rows, as examples and in prompts of several forms; a heap holds this part of itself of them. */
const SHARE_OF_HEAP = 1 / 8;

/** Characters of text that the rows of one data set may hold before the process would die of them. */
export function mostCharacters(): number {
  return Math.floor(getHeapStatistics().heap_size_limit * SHARE_OF_HEAP);
}

/**
 * Counts the text of rows that are kept.
 *
 * @returns the fault of the row with which a data set holds more text than memory allows; null before
 */
export function textBudget(most = mostCharacters()): (row: SourceRow) => Fault | null {
  let characters = 0;
  return (row) => {
    for (const value of Object.values(row.values)) characters += charactersOf(value);
    if (characters <= most) return null;
    const [mebibytes, id] = [Math.floor(most / 2 ** 20), `${row.number}`];
    const way = 'take fewer rows (`limit`, `sample` or `filter` of the source), or give Node a larger heap';
    const message = `up to this row the texts hold more than ${mebibytes} Mi characters, which is all that memory allows`;
    return { row: id, message: `${message}; ${way} (NODE_OPTIONS=--max-old-space-size=MEBIBYTES)` };
  };
}

function charactersOf(value: RowValue): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value as Readonly<Record<string, RowValue>>).reduce<number>(
    (sum, inner) => sum + charactersOf(inner),
    0,
  );
}
