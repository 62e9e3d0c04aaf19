import { getHeapStatistics } from 'node:v8';
import { type Fault, SupportCalError } from '../errors/supportcal-error.js';
import type { Format, ReadOptions } from './format.js';
import { jsonFieldOffset } from './json/json-field-offset.js';
import { laidOutRows } from './json/laid-out-rows.js';
import { JsonFault, JsonReader } from './json/parse-json.js';
import { rowsOffset } from './json/rows-offset.js';
import { jsonl } from './jsonl.js';
import type { FaultList } from './row/fault-list.js';
import { faultsBy, type Place } from './row/fault-places.js';
import { isRowObject, type RowBatches, type SourceFile, type SourceRow } from './row/source-row.js';
import { BATCH_BYTES } from './row/text-bytes.js';
import { lineCounter } from './text/line-counter.js';
import { firstInvalidByte, invalidUtf8, readChunks } from './text/read-lines.js';

/** An array is held whole while it is read: a longer one belongs in JSON Lines, which stream. Small heaps hold less. */
const MAX_BYTES = Math.min(256 * 2 ** 20, Math.floor(getHeapStatistics().heap_size_limit / 4));

/** One JSON array of objects. A file that opens with an object is JSON Lines under the wrong ending. */
export const json = {
  name: 'json',
  endings: ['json'],
  magic: /^\ufeff?\s*\[\s*\{\s*"/,
  butReads: (beginning) => (/^\ufeff?\s*\{/.test(beginning) ? jsonl : undefined),
  hasColumns: false,
  holdsSplits: true,
  rows: { kind: 'text', read: readJson, placesOf },
} as const satisfies Format;

/**
 * The rows of one JSON array of objects. Rows carry the line on which they begin.
 *
 * @param options `maxBytes`, and `batchBytes` (characters that are read before rows are handed on): for tests
 */
export async function* readJson(
  file: SourceFile,
  faults: FaultList,
  options: ReadOptions & { readonly maxBytes?: number; readonly batchBytes?: number } = {},
): RowBatches {
  const text = await readWholeText(file, options.maxBytes ?? MAX_BYTES);
  const reader = new JsonReader(text, options);
  const { batchBytes = BATCH_BYTES } = options;
  let rows: SourceRow[] = [];
  let handedOn = 0;
  const position = lineCounter(text);
  const { layout = 'rows', rows: inside } = options;
  try {
    if (layout !== 'rows' || inside !== undefined) {
      // What stands around the rows is JSON as well.
      new JsonReader(text, options).readAll();
      reader.position = rowsOffset(text, inside);
    }
    if (layout !== 'rows') {
      const laidOut = laidOutRows(reader.readValue(1), layout, reader.position);
      if (laidOut.length > 0) yield laidOut;
      return;
    }
    if (!reader.accept('['))
      throw reader.fault('expected one array of objects (for one object a line: `format: jsonl`)');
    for (let number = 1; !reader.accept(']'); number++) {
      if (number > 1 && !reader.accept(',')) throw reader.fault('expected "," or "]"');
      reader.skipSpace();
      const { line, column } = position(reader.position);
      const values = reader.readValue(1);
      if (isRowObject(values)) rows.push({ values, number, line });
      else faults.add({ file: file.shown, line, column, row: `${number}`, number, message: 'expected an object' });
      if (reader.position - handedOn < batchBytes) continue;
      yield rows;
      rows = [];
      handedOn = reader.position;
    }
    reader.skipSpace();
    if (inside === undefined && reader.position < text.length)
      throw reader.fault('expected the end of the file (for one object a line: `format: jsonl`)');
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const offset = Buffer.byteLength(text.slice(0, error.offset));
    const message = `${error.message}, at byte offset ${offset}`;
    faults.addLast({ file: file.shown, ...position(error.offset), message });
    return;
  }
  if (rows.length > 0) yield rows;
}

async function* placesOf(
  faults: readonly Fault[],
  file: SourceFile,
  { rows }: ReadOptions,
): AsyncGenerator<readonly [Fault, Place]> {
  const text = await readWholeText(file, MAX_BYTES);
  const reader = new JsonReader(text, { allowNonFinite: true });
  reader.position = rowsOffset(text, rows);
  const position = lineCounter(text);
  const waiting = faultsBy('number', faults);
  const last = Math.max(...waiting.keys());
  reader.accept('[');
  for (let number = 1; number <= last; number++) {
    reader.skipSpace();
    const start = reader.position;
    const offsets = (waiting.get(number) ?? []).map((fault) => {
      return { fault, offset: fault.field === undefined ? start : jsonFieldOffset(text, start, fault.field) };
    });
    offsets.sort((a, b) => a.offset - b.offset);
    for (const { fault, offset } of offsets) yield [fault, position(offset)];
    reader.readValue(1);
    reader.accept(',');
  }
}

/** The text of a file without its byte order mark. */
async function readWholeText(file: SourceFile, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of readChunks(file)) {
    size += chunk.length;
    if (size > maxBytes) {
      const advice = 'write one object a line (JSON Lines)';
      const message = `a JSON array may have ${maxBytes} bytes, this one has more; ${advice}`;
      throw new SupportCalError('bad-input', { file: file.shown, line: 1, message });
    }
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const bad = firstInvalidByte(bytes);
  if (bad >= 0) throw invalidUtf8(file, bytes, bad);
  return new TextDecoder().decode(bytes);
}
