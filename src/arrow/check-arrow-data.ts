import type { Data, Table } from 'apache-arrow';

/**
 * Checks the offsets of every text, list and map column of a table that another program wrote: a changed byte there
 * would make one cell of 2 billion elements, or text from other cells.
 *
 * @throws Error with a plain reason
 */
export function checkArrowData(table: Table): void {
  for (const batch of table.batches) checkData(batch.data);
}

function checkData(data: Data): void {
  const { valueOffsets: offsets } = data as { valueOffsets?: Int32Array | BigInt64Array };
  // Union columns keep row numbers of their children here instead of ranges.
  if (offsets !== undefined && data.typeIds === undefined && data.length > 0) {
    const limit = data.children[0]?.length ?? data.values?.length ?? 0;
    if (offsets.length <= data.length) throw new Error('a column is shorter than its row count');
    checkOffsets(offsets, data.length, limit);
  }
  if (data.dictionary !== undefined) for (const chunk of data.dictionary.data) checkData(chunk);
  for (const child of data.children) if (child !== undefined) checkData(child);
}

function checkOffsets(offsets: Int32Array | BigInt64Array, rowCount: number, limit: number): void {
  let previous = 0;
  for (let n = 0; n <= rowCount; n++) {
    const offset = Number(offsets[n]);
    if (offset < previous || offset > limit) throw new Error('the cells of a column lie outside the column');
    previous = offset;
  }
}
