import { pipeline, Readable } from 'node:stream';
import { CsvError, type Info, parse } from 'csv-parse';
import { SupportCalError } from '../errors/supportcal-error.js';
import type { FaultList } from './fault-list.js';
import { firstInvalidByte, invalidUtf8, MAX_LINE_BYTES, readChunks } from './read-lines.js';
import { type RowBatches, type RowValue, type SourceFile, type SourceRow, setField } from './source-row.js';

const BATCH = 1000;

/**
 * Comma or tab separated values with a header line: RFC 4180 quotes (line breaks and `""` inside), LF or CRLF, byte
 * order mark dropped. Every cell is text. Repeated or empty column names, rows of another length and an open quote are
 * refused.
 */
export async function* readCsv(file: SourceFile, faults: FaultList, delimiter: string): RowBatches {
  const parser = parse({
    bom: true,
    delimiter,
    info: true,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_LINE_BYTES,
  });
  // A fault of the source destroys the parser, whose loop below then throws it.
  pipeline(Readable.from(validChunks(file)), parser, () => {});
  let columns: readonly string[] | undefined;
  let rows: SourceRow[] = [];
  let number = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
      const line = firstLineOf(record, info);
      if (columns === undefined) {
        columns = checkHeader(file, record);
        continue;
      }
      number++;
      if (record.length === columns.length) rows.push({ values: rowOf(columns, record), number, line });
      else faults.add({ file: file.shown, line, message: widthFault(record.length, columns, delimiter) });
      if (rows.length >= BATCH) {
        yield rows;
        rows = [];
      }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    faults.add(csvFault(file, error, columns === undefined ? 0 : number + 1));
  }
  if (rows.length > 0) yield rows;
}

/** csv-parse would replace bytes that are not UTF-8; a character cut by a chunk border is carried over. */
async function* validChunks(file: SourceFile): AsyncGenerator<Buffer> {
  let [rest, offset]: [Buffer, number] = [Buffer.alloc(0), 0];
  for await (const chunk of readChunks(file)) {
    const joined = Buffer.concat([rest, chunk]);
    const bad = firstInvalidByte(joined);
    const cut = bad < 0 ? joined.length : bad;
    if (joined.length - cut > 3) throw invalidUtf8(file, joined[cut]!, offset + cut);
    const head = joined.subarray(0, cut);
    yield head;
    rest = joined.subarray(cut);
    offset += cut;
  }
  if (rest.length > 0) throw invalidUtf8(file, rest[0]!, offset);
}

/** csv-parse counts lines at the end of a record; line breaks inside its cells lie before that. */
function firstLineOf(record: readonly string[], info: Info): number {
  let line = info.lines;
  for (const cell of record) {
    for (let at = cell.indexOf('\n'); at >= 0; at = cell.indexOf('\n', at + 1)) line--;
  }
  return line;
}

function checkHeader(file: SourceFile, header: readonly string[]): readonly string[] {
  const twice = header.find((name, n) => header.indexOf(name) !== n);
  const found = `found: ${header.map((name) => JSON.stringify(name)).join(', ')}`;
  const fault =
    twice !== undefined
      ? `the column ${JSON.stringify(twice)} stands twice in the header; rename one (${found})`
      : header.some((name) => name.trim() === '')
        ? `a column of the header has no name; give it one (${found})`
        : undefined;
  if (fault !== undefined) throw new SupportCalError('bad-input', { file: file.shown, line: 1, message: fault });
  return header;
}

function rowOf(columns: readonly string[], record: readonly string[]): Record<string, RowValue> {
  const values: Record<string, RowValue> = {};
  for (let n = 0; n < columns.length; n++) setField(values, columns[n]!, record[n]!);
  return values;
}

function widthFault(cells: number, columns: readonly string[], delimiter: string): string {
  const name = delimiter === '\t' ? 'tab' : `"${delimiter}"`;
  return `expected ${columns.length} cells as in the header, found ${cells}; quote cells that contain a ${name}`;
}

function csvFault(file: SourceFile, error: CsvError, row: number) {
  const line = typeof error.lines === 'number' ? error.lines : undefined;
  const where = row === 0 ? 'the header' : `row ${row}`;
  const what =
    error.code === 'CSV_QUOTE_NOT_CLOSED'
      ? `a quote opened in ${where} is never closed; close it, or double a quote that is part of the text`
      : error.code === 'CSV_MAX_RECORD_SIZE'
        ? `${where} is longer than the limit of ${MAX_LINE_BYTES} bytes; a quote may have been left open`
        : `${where}: ${error.message}; put cells that contain a quote in quotes, and double the quote`;
  return { file: file.shown, line, message: what };
}
