import { finished } from 'node:stream';
import { CsvError, type Info, parse } from 'csv-parse';
import type { FaultList } from '../row/fault-list.js';
import { type RowBatches, type RowValue, type SourceFile, type SourceRow, setField } from '../row/source-row.js';
import { BATCH_BYTES, textBytes } from '../row/text-bytes.js';
import { countLines, firstInvalidByte, invalidUtf8, MAX_LINE_BYTES, readChunks } from '../text/read-lines.js';
import type { CsvSettings } from './csv-faults.js';
import { checkHeader, csvFault, nameless, RecordLines, widthFault } from './csv-faults.js';

const BATCH = 1000;

/**
 * Comma or tab separated values with a header line: RFC 4180 quotes (line breaks and `""` inside), LF or CRLF, byte
 * order mark dropped. Every cell is text. Repeated or empty column names, rows of another length and an open quote are
 * refused. A first column without a name that counts the rows (the index that pandas writes) is no field. With `header`
 * the first line is a row, unless it is just that header.
 *
 * @param settings `batchBytes`: text that a batch may hold, but for its last row; for tests
 */
export async function* readCsv(
  file: SourceFile,
  faults: FaultList,
  settings: CsvSettings & { readonly batchBytes?: number },
): RowBatches {
  const most = settings.batchBytes ?? BATCH_BYTES;
  const header = settings.header === 'numbered' ? undefined : settings.header;
  let columns = header;
  let first = true;
  let rows: SourceRow[] = [];
  let number = 0;
  let held = 0;
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
    if (record.length === columns.length && (columns[0] !== '' || /^\d+$/.test(record[0] ?? ''))) {
      rows.push({ values: rowOf(columns, record), number, line });
      held += textBytes(record);
    } else if (record.length === columns.length) throw nameless(file, columns);
    else faults.add({ file: file.shown, line, number, message: widthFault(record.length, columns, settings) });
  };
  const parser = recordParser(settings, take);
  try {
    for await (const chunk of validChunks(file)) {
      lines.hasReturns ||= chunk.includes(0x0d);
      await parser.write(chunk);
      if (rows.length < BATCH && held < most) continue;
      yield rows;
      rows = [];
      held = 0;
    }
    await parser.end();
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const row = columns === undefined ? 0 : number + 1;
    faults.addLast(csvFault(file, error, { row, lines, columns: columns ?? [] }));
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

function rowOf(columns: readonly string[], record: readonly string[]): Record<string, RowValue> {
  const values: Record<string, RowValue> = {};
  for (let n = columns[0] === '' ? 1 : 0; n < columns.length; n++) setField(values, columns[n] ?? '', record[n] ?? '');
  return values;
}
