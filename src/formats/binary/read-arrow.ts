import { type ArrowRows, readArrowTable } from '../../arrow/read-arrow-table.js';
import { JsonReader } from '../json/parse-json.js';
import { MOST_TABLE_BYTES } from '../row/most-table-bytes.js';
import { type RowValue, type SourceFile, unreadableCell } from '../row/source-row.js';
import { unpackedTable } from '../text/gunzip.js';
import { openFile } from '../text/read-lines.js';
import { BATCH_ROWS, columnBatches } from './column-batch.js';
import type { Decoder } from './decoder.js';
import { plainCell } from './plain-cell.js';
import { unpackZstd } from './unpack-zstd.js';

/**
 * Arrow IPC file (Feather 2) or stream, packed or not, plain or with lz4 or zstd bodies; 64-bit integers stay exact.
 */
export async function* readArrow(...[file, expect]: Parameters<Decoder>): ReturnType<Decoder> {
  const bytes = await unpackedBytes(file);
  const unpacking = (length: number) => expect({ cells: 0, bytes: length });
  unpacking(bytes.length);
  const table = readArrowTable(bytes, file.shown, {
    zstd: unpackZstd,
    parseJson,
    unpacking,
    mostUnpacked: MOST_TABLE_BYTES,
  });
  const cellsOf = table.columns.map((column) => cellsIn(table, column));
  const workOf = (from: number) => Math.min(BATCH_ROWS, table.rowCount - from) * table.columns.length;
  expect({ cells: workOf(0), bytes: 0 });
  const cell = (c: number, n: number) => cellsOf[c]?.(n) ?? null;
  for (const batch of columnBatches(table.columns, { start: 0, end: table.rowCount }, cell)) {
    yield batch;
    expect({ cells: workOf(batch.firstNumber - 1 + batch.rowCount), bytes: 0 });
  }
}

const parseJson = (text: string) => new JsonReader(text).readAll();

/** The cells of a column by row; of one that cannot be read, what says so wherever a field names it. */
function cellsIn(table: ArrowRows, column: string): (n: number) => RowValue {
  const why = table.unreadable(column);
  if (why === null) return (n) => plainCell(table.value(column, n));
  const cell = unreadableCell(why);
  return () => cell;
}

async function unpackedBytes(file: SourceFile): Promise<Uint8Array> {
  const handle = await openFile(file);
  try {
    return (await unpackedTable(handle, file)) ?? (await handle.readFile());
  } finally {
    await handle.close();
  }
}
