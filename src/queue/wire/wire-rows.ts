import type { ModelRow } from '../../contract/scored-row.js';

/** Rows of one message are cut here, so that no message is much larger. */
const CHUNK_BYTES = 512 * 1024;

/**
 * Rows as JSON can carry them, in chunks of bounded size. A number comes back to the bit; one that is not known (NaN)
 * is null on the way.
 */
export function writeRows(rows: readonly ModelRow[]): Record<string, unknown>[][] {
  const chunks: Record<string, unknown>[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const written = writeRow(row);
    const size = JSON.stringify(written).length;
    if (bytes + size > CHUNK_BYTES) {
      chunks.push([]);
      bytes = 0;
    }
    chunks.at(-1)?.push(written);
    bytes += size;
  }
  return chunks;
}

/** The rows of a message, whatever is in them: `messageFault` says whether they are what was asked for. */
export function readRows(rows: readonly Readonly<Record<string, unknown>>[]): unknown[] {
  return rows.map((row) =>
    row.status === 'ok' ? { ...row, logZ: row.logZ ?? Number.NaN, optionMass: row.optionMass ?? Number.NaN } : row,
  );
}

function writeRow(row: ModelRow): Record<string, unknown> {
  return row.status === 'ok' ? { ...row, logits: Array.from(row.logits) } : { ...row };
}
