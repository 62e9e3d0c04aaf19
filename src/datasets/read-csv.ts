import { finished } from 'node:stream';
import { CsvError, type Info, parse } from 'csv-parse';
import { SupportCalError } from '../errors/supportcal-error.js';
import type { FaultList } from './fault-list.js';
import { countLines, firstInvalidByte, invalidUtf8, MAX_LINE_BYTES, readChunks } from './read-lines.js';
import { type RowBatches, type RowValue, type SourceFile, type SourceRow, setField } from './source-row.js';

const BATCH = 1000;

export interface CsvSettings {
  readonly delimiter: string;
  /** Names of the columns where the file has no line of them; numbered: column1, column2, ... */
  readonly header?: readonly string[] | 'numbered' | undefined;
  /** none: quotes are text. */
  readonly quote?: 'none' | undefined;
}

/** What is said of a file; the rest follows from its format. */
export type WrittenCsv = { readonly [Key in keyof CsvSettings]?: CsvSettings[Key] | undefined };

/**
 * Comma or tab separated values with a header line: RFC 4180 quotes (line breaks and `""` inside), LF or CRLF, byte
 * order mark dropped. Every cell is text. Repeated or empty column names, rows of another length and an open quote are
 * refused. A first column without a name that counts the rows (the index that pandas writes) is no field. With `header` the first line is a row, unless it is just that header.
 */
export async function* readCsv(file: SourceFile, faults: FaultList, settings: CsvSettings): RowBatches {
  const header = settings.header === 'numbered' ? undefined : settings.header;
  let columns = header;
  let first = true;
  let rows: SourceRow[] = [];
  let number = 0;
  const lines = new RecordLines();
  // Called for each record as soon as it ends, so that a fault further on does not take those before it along.
  const take = (record: string[], info: Info) => {
    const line = lines.firstOf(record, info);
    if (columns === undefined && settings.header === 'numbered') columns = record.map((_, n) => `column${n + 1}`);
    if (columns === undefined) {
      columns = checkHeader(file, record);
      return;
    }
    const isHeader = first && record.length === header?.length && record.every((name, n) => name.trim() === header[n]);
    first = false;
    if (isHeader) return;
    number++;
    if (record.length === columns.length && (columns[0] !== '' || /^\d+$/.test(record[0]!)))
      rows.push({ values: rowOf(columns, record), number, line });
    else if (record.length === columns.length) throw nameless(file, columns);
    else faults.add({ file: file.shown, line, number, message: widthFault(record.length, columns, settings) });
  };
  const parser = recordParser(settings, take);
  try {
    for await (const chunk of validChunks(file)) {
      lines.hasReturns ||= chunk.includes(0x0d);
      await parser.write(chunk);
      if (rows.length < BATCH) continue;
      yield rows;
      rows = [];
    }
    await parser.end();
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    faults.add({
      ...csvFault(file, error, columns === undefined ? 0 : number + 1, lines),
      field: cellOf(error, columns),
    });
  }
  if (rows.length > 0) yield rows;
}

function recordParser({ delimiter, quote }: CsvSettings, take: (record: string[], info: Info) => void) {
  let thrown: unknown;
  const parser = parse({
    bom: true,
    delimiter,
    ...(quote === 'none' && { quote: null }),
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_LINE_BYTES,
    on_record: (record: string[], info) => {
      if (thrown !== undefined) return null;
      try {
        take(record, info as unknown as Info);
      } catch (error) {
        thrown = error;
      }
      return null;
    },
  });
  // Every fault comes back from the call that met it.
  parser.on('error', () => {});
  parser.resume();
  const done = (call: (back: (error?: Error | null) => void) => void) =>
    new Promise<void>((resolve, reject) => {
      call((error) => {
        const fault = thrown ?? error;
        if (fault === undefined || fault === null) resolve();
        else reject(fault);
      });
    });
  return {
    write: (chunk: Buffer) => done((back) => parser.write(chunk, back)),
    end: () =>
      done((back) => {
        finished(parser, back);
        parser.end();
      }),
  };
}

/** csv-parse would replace bytes that are not UTF-8; a character cut by a chunk border is carried over. */
async function* validChunks(file: SourceFile): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let first = { byte: 0, line: 1, column: 1 };
  for await (const chunk of readChunks(file)) {
    const joined = Buffer.concat([rest, chunk]);
    const bad = firstInvalidByte(joined);
    const cut = bad < 0 ? joined.length : bad;
    if (joined.length - cut > 3) throw invalidUtf8(file, joined, cut, first);
    const head = joined.subarray(0, cut);
    yield head;
    rest = joined.subarray(cut);
    first = placeAfter(head, first);
  }
  if (rest.length > 0) throw invalidUtf8(file, rest, 0, first);
}

function placeAfter(bytes: Buffer, { byte, line, column }: { byte: number; line: number; column: number }) {
  const end = bytes.lastIndexOf(0x0a) + 1;
  const open = bytes.toString('utf8', end).length;
  return { byte: byte + bytes.length, line: line + countLines(bytes), column: open + (end === 0 ? column : 1) };
}

/** Lines of records; csv-parse takes each CR LF inside of quotes for two. */
class RecordLines {
  /** Of the next record, empty lines aside. */
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

function checkHeader(file: SourceFile, header: readonly string[]): readonly string[] {
  const twice = header.find((name, n) => header.indexOf(name) !== n);
  const found = `found: ${header.map((name) => JSON.stringify(name)).join(', ')}`;
  const fault = header.some((name) => name.includes('\r'))
    ? 'its lines end in CR alone; save it with LF or CRLF'
    : twice !== undefined
      ? `the column ${JSON.stringify(twice)} stands twice in the header; rename one (${found})`
      : undefined;
  if (fault !== undefined)
    throw new SupportCalError('bad-input', { file: file.shown, line: 1, column: 1, message: fault });
  if (header.some((name, n) => name.trim() === '' && (n > 0 || name !== ''))) throw nameless(file, header);
  return header;
}

function nameless(file: SourceFile, header: readonly string[]): SupportCalError {
  const found = header.map((name) => JSON.stringify(name)).join(', ');
  const message = `a column of the header has no name; give it one (found: ${found})`;
  return new SupportCalError('bad-input', { file: file.shown, line: 1, column: 1, message });
}

function rowOf(columns: readonly string[], record: readonly string[]): Record<string, RowValue> {
  const values: Record<string, RowValue> = {};
  for (let n = columns[0] === '' ? 1 : 0; n < columns.length; n++) setField(values, columns[n]!, record[n]!);
  return values;
}

function widthFault(cells: number, columns: readonly string[], { delimiter, quote, header }: CsvSettings): string {
  const name = delimiter === '\t' ? 'tab' : `"${delimiter}"`;
  const expected = `expected ${columns.length} cells as in ${header === undefined ? 'the header' : '`header`'}, found ${cells}`;
  return quote === 'none' ? expected : `${expected}; quote cells that contain a ${name}`;
}

/** Name of the column in which a quote is wrong. */
function cellOf({ column }: CsvError, columns: readonly string[] | undefined): string | undefined {
  return typeof column === 'number' ? columns?.[column] : undefined;
}

/** @param row number of the row that could not be read; 0: the header */
function csvFault(file: SourceFile, error: CsvError, row: number, lines: RecordLines) {
  const line = lines.open;
  const where = row === 0 ? 'the header' : `row ${row}`;
  const met = !lines.hasReturns && Number(error.lines) > line ? `, as line ${error.lines} shows` : '';
  const what =
    error.code === 'CSV_QUOTE_NOT_CLOSED'
      ? `a quote opened in ${where} is never closed; close it, double a quote that is part of the text, or write \`quote: none\` where quotes are text`
      : error.code === 'CSV_INVALID_CLOSING_QUOTE'
        ? `a quote opened in ${where} is not closed${met}; close it, double a quote that is part of the text, or write \`quote: none\` where quotes are text`
        : error.code === 'CSV_MAX_RECORD_SIZE'
          ? `${where} is longer than the limit of ${MAX_LINE_BYTES} bytes; a quote may have been left open`
          : error.code === 'INVALID_OPENING_QUOTE'
            ? `${where} has a quote inside a cell that does not begin with one; put the cell in quotes, and double the quote, or write \`quote: none\` where quotes are text`
            : `${where}: ${error.message}; put cells that contain a quote in quotes, and double the quote, or write \`quote: none\` where quotes are text`;
  return { file: file.shown, line, message: what };
}
