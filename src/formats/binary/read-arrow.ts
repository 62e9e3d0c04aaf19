import { compressors } from 'hyparquet-compressors';
import { type ArrowRows, readArrowTable } from '../../arrow/read-arrow-table.js';
import { JsonReader } from '../json/parse-json.js';
import { type RowValue, type SourceFile, unreadableCell } from '../row/source-row.js';
import { unpackedTable } from '../text/gunzip.js';
import { openFile } from '../text/read-lines.js';
import type { Decoder } from './decoder.js';
import { plainCell } from './plain-cell.js';

const BATCH = 10_000;

/**
 * Arrow IPC file (Feather 2) or stream, packed or not, plain or with lz4 or zstd bodies; 64-bit integers stay exact.
 */
export async function* readArrow(...[file, expect]: Parameters<Decoder>): ReturnType<Decoder> {
  const bytes = await unpackedBytes(file);
  const zstd = (frame: Uint8Array) => compressors.ZSTD!(frame, 0);
  const unpacking = (length: number) => expect({ cells: 0, bytes: length });
  unpacking(bytes.length);
  const table = readArrowTable(bytes, file.shown, { zstd, parseJson, unpacking });
  for (let start = 0; start < table.rowCount; start += BATCH) {
    const rowCount = Math.min(BATCH, table.rowCount - start);
    expect({ cells: rowCount * table.columns.length, bytes: 0 });
    const cells = table.columns.map((column) => cellsOf(table, column, { start, rowCount }));
    yield { columns: table.columns, cells, firstNumber: start + 1, rowCount };
  }
}

const parseJson = (text: string) => new JsonReader(text).readAll();

/** The cells of a column in some rows; of one that cannot be read, what says so wherever a field names it. */
function cellsOf(
  table: ArrowRows,
  column: string,
  { start, rowCount }: { start: number; rowCount: number },
): RowValue[] {
  const why = table.unreadable(column);
  const cell = why === null ? null : unreadableCell(why);
  return Array.from({ length: rowCount }, (_, n) => cell ?? plainCell(table.value(column, start + n)));
}

async function unpackedBytes(file: SourceFile): Promise<Uint8Array> {
  const handle = await openFile(file);
  try {
    return (await unpackedTable(handle, file)) ?? (await handle.readFile());
  } finally {
    await handle.close();
  }
}
