import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
} from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { SupportCalError } from '../../errors/supportcal-error.js';
import type { SourceFile } from '../row/source-row.js';
import { unpackedTable } from '../text/gunzip.js';
import { openFile } from '../text/read-lines.js';
import { columnBatches } from './column-batch.js';
import type { Decoder } from './decoder.js';
import { refuseHugeGroups, withBudget } from './parquet-budget.js';
import { exactParsers, parquetCells, unreadable } from './parquet-cells.js';
import { unpackZstd } from './unpack-zstd.js';

/** The lz4 decoders refuse the one-byte block that stands for no bytes at all, as in a page of nulls. */
const unlessEmpty =
  (decode: (input: Uint8Array, length: number) => Uint8Array) =>
  (input: Uint8Array, length: number): Uint8Array =>
    length === 0 ? new Uint8Array(0) : decode(input, length);
const decoders = {
  ...compressors,
  LZ4: unlessEmpty(compressors.LZ4!),
  LZ4_RAW: unlessEmpty(compressors.LZ4_RAW!),
  ZSTD: unpackZstd,
};

/**
 * Parquet with any codec of hyparquet-compressors (snappy, gzip, zstd, brotli, lz4); 64-bit integers stay exact. One
 * row group is decoded at a time, since a part of one costs as much as the whole.
 */
export async function* readParquet(...[file, expect]: Parameters<Decoder>): ReturnType<Decoder> {
  try {
    const buffer = await parquetBytes(file);
    if (buffer.byteLength === 0) throw new Error('the file is empty');
    const metadata = await parquetMetadataAsync(buffer, { geoparquet: false });
    refuseForeignChunks(metadata);
    refuseHugeGroups(metadata, buffer.byteLength);
    const { children } = parquetSchema(metadata);
    const columns = children.map(({ element }) => element.name);
    const read = children.filter((child) => unreadable(child) === null).map(({ element }) => element.name);
    const places = columns.map((column) => read.indexOf(column));
    const twice = columns.find((name, n) => columns.indexOf(name) !== n);
    if (twice !== undefined) throw new Error(`two columns are called ${JSON.stringify(twice)}; rename one of them`);
    const cellOf = children.map(parquetCells);
    let start = 0;
    for (const { num_rows, total_byte_size } of metadata.row_groups) {
      const end = start + Number(num_rows);
      expect({ cells: Number(num_rows) * columns.length, bytes: Number(total_byte_size) });
      const rows = await readRange(buffer, metadata, { columns: read, start, end });
      const first = start;
      const cell = (c: number, n: number) => cellOf[c]?.(rows[n - first]?.[places[c] ?? -1]) ?? null;
      for (const batch of columnBatches(columns, { start, end }, cell)) {
        yield batch;
        expect({ cells: batch.rowCount * columns.length, bytes: 0 });
      }
      start = end;
    }
    if (start !== Number(metadata.num_rows))
      throw new Error(`its row groups do not add up to ${metadata.num_rows} rows`);
  } catch (cause) {
    if (cause instanceof SupportCalError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SupportCalError(
      'bad-input',
      { file: file.shown, message: `cannot be read as Parquet: ${reason}` },
      { cause },
    );
  }
}

/** The bytes of a Parquet file, unpacked where it is gzip; read from the file as they are asked for where it is not. */
export async function parquetBytes(file: SourceFile): Promise<AsyncBuffer> {
  const unpacked = await unpackedOf(file);
  return unpacked === null ? asyncBufferFromFile(file.path) : inMemory(unpacked);
}

function inMemory(bytes: Buffer): AsyncBuffer {
  const own = new Uint8Array(bytes);
  return { byteLength: own.byteLength, slice: (start, end) => own.buffer.slice(start, end) };
}

/** Flags of the metadata that say that the values are not where, or not what, they seem to be. */
function refuseForeignChunks({ row_groups }: FileMetaData): void {
  for (const { columns } of row_groups) {
    for (const { crypto_metadata, encrypted_column_metadata, file_path } of columns) {
      if (crypto_metadata !== undefined || encrypted_column_metadata !== undefined)
        throw new Error('its columns are encrypted; write it again without encryption');
      if (file_path) throw new Error('its columns lie in other files; write it again as one file');
    }
  }
}

async function readRange(
  file: AsyncBuffer,
  metadata: FileMetaData,
  {
    columns,
    start: rowStart,
    end: rowEnd,
  }: { readonly columns: string[]; readonly start: number; readonly end: number },
): Promise<unknown[][]> {
  if (columns.length === 0) return Array.from({ length: rowEnd - rowStart }, () => []);
  let rows: unknown[][] = [];
  await parquetRead({
    file,
    metadata,
    columns,
    geoparquet: false,
    compressors: withBudget(decoders),
    parsers: exactParsers,
    rowStart,
    rowEnd,
    // Columns that are not marked as text stay bytes: they may be images.
    utf8: false,
    onComplete: (read) => {
      rows = read;
    },
  });
  if (rows.length !== rowEnd - rowStart) throw new Error(`rows ${rowStart + 1} to ${rowEnd} are not all there`);
  return rows;
}

/** The bytes of a packed table; null for one that is read where it lies. */
async function unpackedOf(file: SourceFile): ReturnType<typeof unpackedTable> {
  const handle = await openFile(file);
  try {
    return await unpackedTable(handle, file);
  } finally {
    await handle.close();
  }
}
