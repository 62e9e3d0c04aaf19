import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
} from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { decimalText } from '../../arrow/plain-value.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { JsonReader } from '../json/parse-json.js';
import type { RowValue, SourceFile } from '../row/source-row.js';
import { unpackedTable } from '../text/gunzip.js';
import { openFile } from '../text/read-lines.js';
import type { ColumnBatch } from './column-batch.js';
import { refuseHugeGroups, withBudget } from './parquet-budget.js';
import { plainCell } from './plain-cell.js';

const BATCH = 10_000;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** hyparquet replaces bytes that are not UTF-8 and rounds integers of JSON columns; these parsers do neither. */
const exactParsers = {
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && utf8.decode(bytes),
  jsonFromBytes: (bytes: Uint8Array | undefined) => bytes && new JsonReader(utf8.decode(bytes)).readAll(),
};

/** The lz4 decoders refuse the one-byte block that stands for no bytes at all, as in a page of nulls. */
const unlessEmpty =
  (decode: (input: Uint8Array, length: number) => Uint8Array) =>
  (input: Uint8Array, length: number): Uint8Array =>
    length === 0 ? new Uint8Array(0) : decode(input, length);
const decoders = {
  ...compressors,
  LZ4: unlessEmpty(compressors.LZ4!),
  LZ4_RAW: unlessEmpty(compressors.LZ4_RAW!),
};

/**
 * Parquet with any codec of hyparquet-compressors (snappy, gzip, zstd, brotli, lz4); 64-bit integers stay exact. One
 * row group is decoded at a time, since a part of one costs as much as the whole.
 */
export async function* readParquet(file: SourceFile): AsyncGenerator<ColumnBatch> {
  try {
    const buffer = await parquetBytes(file);
    if (buffer.byteLength === 0) throw new Error('the file is empty');
    const metadata = await parquetMetadataAsync(buffer);
    refuseHugeGroups(metadata);
    const decimals = withoutDecimals(metadata);
    const columns = parquetSchema(metadata).children.map((child) => child.element.name);
    const twice = columns.find((name, n) => columns.indexOf(name) !== n);
    if (twice !== undefined) throw new Error(`two columns are called ${JSON.stringify(twice)}; rename one of them`);
    let start = 0;
    for (const { num_rows } of metadata.row_groups) {
      const end = start + Number(num_rows);
      const rows = await readRange(buffer, metadata, start, end);
      for (let n = 0; n < rows.length; n += BATCH) {
        const part = rows.slice(n, n + BATCH);
        const cells = columns.map((column, c) => part.map((row) => cellOf(row[c], decimals.get(column))));
        yield { columns, cells, firstNumber: start + n + 1, rowCount: part.length };
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

/**
 * Takes the mark off the decimal columns, which hyparquet would round to doubles. @returns digits after the point by
 * column
 */
function withoutDecimals(metadata: FileMetaData): ReadonlyMap<string, number> {
  const scales = new Map<string, number>();
  for (const { element, children } of parquetSchema(metadata).children) {
    if (children.length > 0 || element.repetition_type === 'REPEATED' || element.converted_type !== 'DECIMAL') continue;
    scales.set(element.name, element.scale ?? 0);
    delete element.converted_type;
    delete element.logical_type;
  }
  return scales;
}

function cellOf(value: unknown, scale: number | undefined): RowValue {
  if (scale === undefined || value === null || value === undefined) return plainCell(value);
  if (value instanceof Uint8Array) {
    const unsigned = BigInt(`0x${Buffer.from(value).toString('hex') || '0'}`);
    return decimalText(BigInt.asIntN(Math.max(1, value.length * 8), unsigned), scale);
  }
  return decimalText(BigInt(value as number | bigint), scale);
}

async function readRange(
  file: AsyncBuffer,
  metadata: FileMetaData,
  rowStart: number,
  rowEnd: number,
): Promise<unknown[][]> {
  let rows: unknown[][] = [];
  await parquetRead({
    file,
    metadata,
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
