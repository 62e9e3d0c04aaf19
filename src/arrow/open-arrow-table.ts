import { RecordBatchReader, Table } from 'apache-arrow';
import type { ArrowFraming } from './check-arrow-framing.js';

/**
 * The table in bytes whose framing was checked. The footer of a file must list exactly its batches: apache-arrow loops
 * for ever when it points at another message, and loses batches that it does not list.
 *
 * @throws Error with a plain reason
 */
export function openArrowTable(bytes: Uint8Array, framing: ArrowFraming): Table {
  const reader = RecordBatchReader.from(bytes).open();
  if (framing.format === 'file') {
    const listed = Array.from(reader.footer?.recordBatches() ?? [], (block) => block.offset);
    const same = listed.length === framing.batchStarts.length && listed.every((at, n) => at === framing.batchStarts[n]);
    if (!same) throw new Error('its footer does not list the batches that it holds');
  }
  const batches = reader.isSync() ? [...reader] : [];
  const table = new Table(reader.schema, batches);
  if (table.numRows !== framing.rowCount) {
    throw new Error(`its messages hold ${framing.rowCount} rows, but only ${table.numRows} can be read`);
  }
  return table;
}
