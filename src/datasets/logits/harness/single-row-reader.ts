import type { SourceRow } from '../../../formats/row/source-row.js';
import type { LogReader, LogReading } from './harness.js';

/** Ids of rows that a sentence lists. */
const MOST_NAMED = 10;

/**
 * A reader of logs in which every row stands for itself. At the end it tells how many rows have no label, and
 * which where some have one.
 *
 * @param without what is said of rows without a label, behind their number
 */
export function singleRowReader(read: (row: SourceRow) => LogReading, without: string): LogReader {
  let [rows, unlabelled] = [0, 0];
  const named: string[] = [];
  return {
    read: (row) => {
      const reading = read(row);
      if (reading.kind === 'row') rows++;
      if (reading.kind !== 'row' || reading.row.label !== null) return reading;
      unlabelled++;
      if (named.length < MOST_NAMED) named.push(reading.row.id);
      return reading;
    },
    notes: () => {
      const more = unlabelled > named.length ? ', ...' : '';
      const which = unlabelled < rows ? ` (${named.join(', ')}${more})` : '';
      return unlabelled > 0 ? [`${unlabelled} rows ${without}${which}`] : [];
    },
  };
}
