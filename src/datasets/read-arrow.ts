import { compressors } from 'hyparquet-compressors';
import { readArrowTable } from '../arrow/read-arrow-table.js';
import { plainCell } from './plain-cell.js';
import { openFile } from './read-lines.js';
import { type RowBatches, type RowValue, type SourceFile, type SourceRow, setField } from './source-row.js';

const BATCH = 10_000;

/** Arrow IPC file (Feather 2) or stream, plain or with lz4 or zstd bodies; 64-bit integers stay exact. */
export async function* readArrow(file: SourceFile): RowBatches {
  const handle = await openFile(file);
  const bytes = await handle.readFile().finally(() => handle.close());
  const zstd = (frame: Uint8Array) => compressors.ZSTD!(frame, 0);
  const table = readArrowTable(bytes, file.shown, { zstd });
  for (let start = 0; start < table.rowCount; start += BATCH) {
    const rows: SourceRow[] = [];
    for (let n = start; n < Math.min(start + BATCH, table.rowCount); n++) {
      const values: Record<string, RowValue> = {};
      for (const column of table.columns) setField(values, column, plainCell(table.value(column, n)));
      rows.push({ values, number: n + 1, line: undefined });
    }
    yield rows;
  }
}
