import type { CsvError, Info } from 'csv-parse';
import { type Fault, SupportCalError } from '../../errors/supportcal-error.js';
import type { SourceFile } from '../row/source-row.js';
import { MAX_LINE_BYTES } from '../text/read-lines.js';

export interface CsvSettings {
  readonly delimiter: string;
  /** Names of the columns where the file has no line of them; numbered: column1, column2, ... */
  readonly header?: readonly string[] | 'numbered' | undefined;
  /** none: quotes are text. */
  readonly quote?: 'none' | undefined;
}

/** What is said of a file; the rest follows from its format. */
export type WrittenCsv = { readonly [Key in keyof CsvSettings]?: CsvSettings[Key] | undefined };

const OR_TEXT = 'or write `quote: none` where quotes are text';

/** The names of the columns; throws bad-input where one is repeated or absent. */
export function checkHeader(file: SourceFile, header: readonly string[]): readonly string[] {
  const twice = header.find((name, n) => header.indexOf(name) !== n);
  const fault = header.some((name) => name.includes('\r'))
    ? 'its lines end in CR alone; save it with LF or CRLF'
    : twice !== undefined
      ? `the column ${JSON.stringify(twice)} stands twice in the header; rename one (${found(header)})`
      : undefined;
  if (fault !== undefined)
    throw new SupportCalError('bad-input', { file: file.shown, line: 1, column: 1, message: fault });
  if (header.some((name, n) => name.trim() === '' && (n > 0 || name !== ''))) throw nameless(file, header);
  return header;
}

/** A column without a name that is no index of pandas. */
export function nameless(file: SourceFile, header: readonly string[]): SupportCalError {
  const message = `a column of the header has no name; give it one (${found(header)})`;
  return new SupportCalError('bad-input', { file: file.shown, line: 1, column: 1, message });
}

function found(header: readonly string[]): string {
  return `found: ${header.map((name) => JSON.stringify(name)).join(', ')}`;
}

/** A record of more or fewer cells than there are columns. */
export function widthFault(
  cells: number,
  columns: readonly string[],
  { delimiter, quote, header }: CsvSettings,
): string {
  const name = delimiter === '\t' ? 'tab' : `"${delimiter}"`;
  const where = header === undefined ? 'the header' : '`header`';
  const expected = `expected ${columns.length} cells as in ${where}, found ${cells}`;
  if (cells < columns.length) return `${expected}; write the missing cells, empty where there is no value`;
  return quote === 'none' ? expected : `${expected}; quote cells that contain a ${name}`;
}

/**
 * What the parser says of a file, in words.
 *
 * @param row number of the row that could not be read; 0: the header
 */
export function csvFault(
  file: SourceFile,
  error: CsvError,
  { row, lines, columns }: { readonly row: number; readonly lines: RecordLines; readonly columns: readonly string[] },
): Fault {
  const line = lines.open;
  const where = row === 0 ? 'the header' : `row ${row}`;
  const met = !lines.hasReturns && Number(error.lines) > line ? `, as line ${error.lines} shows` : '';
  const what =
    error.code === 'CSV_QUOTE_NOT_CLOSED'
      ? `a quote opened in ${where} is never closed; close it, double a quote that is part of the text, ${OR_TEXT}`
      : error.code === 'CSV_INVALID_CLOSING_QUOTE'
        ? `a quote opened in ${where} is not closed${met}; close it, double ` +
          `a quote that is part of the text, ${OR_TEXT}`
        : error.code === 'CSV_MAX_RECORD_SIZE'
          ? `${where} is longer than the limit of ${MAX_LINE_BYTES} bytes; a quote may have been left open`
          : error.code === 'INVALID_OPENING_QUOTE'
            ? `${where} has a quote inside a cell that does not begin with one; put the cell in quotes, and ` +
              `double the quote, ${OR_TEXT}`
            : `${where}: ${error.message}; put cells that contain a quote in quotes, and double the quote, ${OR_TEXT}`;
  const field = typeof error.column === 'number' ? columns[error.column] : undefined;
  return { file: file.shown, line, field, message: what };
}

/** Lines of records; csv-parse takes each CR LF inside of quotes for two. */
export class RecordLines {
  /** Line of the next record, empty lines before it aside. */
  private next = 1;
  private empty = 0;
  /** Whether there is a CR in the file, with which the parser's own count of lines is off. */
  hasReturns = false;

  /** Line on which a record begins; to be asked for each one in turn. */
  firstOf(record: readonly string[], { empty_lines }: Info): number {
    const line = this.next + empty_lines;
    this.empty = empty_lines;
    this.next++;
    for (const cell of record) {
      for (let at = cell.indexOf('\n'); at >= 0; at = cell.indexOf('\n', at + 1)) this.next++;
    }
    return line;
  }

  /** Line on which the record after those begins, blank lines before it aside. */
  get open(): number {
    return this.next + this.empty;
  }
}
