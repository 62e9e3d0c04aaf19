import { visibleText } from '../../errors/hidden-characters.js';
import { type CsvValue, csvText } from '../../files/csv-cell.js';

/**
 * Rows of a table of the report as CSV. Names from data cannot run as formulas, and their control and hidden characters
 * are shown as escapes, so that the file can be looked at in a terminal and every row is one line.
 */
export function reportCsv(rows: ReadonlyArray<readonly CsvValue[]>): string {
  return csvText(rows.map((row) => row.map((cell) => (typeof cell === 'string' ? visibleText(cell) : cell))));
}
