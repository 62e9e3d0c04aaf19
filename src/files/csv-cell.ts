export type CsvValue = string | number | boolean | null;

/** First column of a CSV whose text cells are all defused, so that who reads it may take the apostrophes away again. */
export const EXPORT_MARK = 'supportcal';

const RUNS_AS_FORMULA = /^['\s]*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]/;
const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/;

/** Rows as CSV by RFC 4180, except that lines end in LF. Numbers at full precision with a point, null empty. */
export function csvText(rows: ReadonlyArray<readonly CsvValue[]>): string {
  return rows.map((row) => `${row.map(csvCell).join(',')}\n`).join('');
}

/**
 * Text that a spreadsheet would run as a formula gets an apostrophe before it; `undefuse` takes it away again.
 * Numbers stay numbers: -0.4 is written as -0.4.
 */
export function csvCell(value: CsvValue): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const safe = RUNS_AS_FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The text that `csvCell` was given, from a cell whose quotes are already read. */
export function undefuse(cell: string): string {
  return cell.startsWith("'") && RUNS_AS_FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell;
}
