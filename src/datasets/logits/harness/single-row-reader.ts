import type { SourceRow } from '../../../formats/row/source-row.js';
import type { LogReader, LogReading } from './harness.js';

/**
 * A reader of logs in which every row stands for itself. At the end it tells how many rows have no label.
 *
 * @param without what is said of rows without a label, behind their number
 */
export function singleRowReader(read: (row: SourceRow) => LogReading, without: string): LogReader {
  let unlabelled = 0;
  return {
    read: (row) => {
      const reading = read(row);
      if (reading.kind === 'row' && reading.row.label === null) unlabelled++;
      return reading;
    },
    notes: () => (unlabelled > 0 ? [`${unlabelled} rows ${without}`] : []),
  };
}
