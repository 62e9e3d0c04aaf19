import { createHash } from 'node:crypto';
import { type Data, DataType, type Field, Precision, type RecordBatch } from 'apache-arrow';
import type { ArrowColumn, ArrowColumns } from './arrow-column.js';
import { checkArrowFraming } from './check-arrow-framing.js';
import { openArrowTable } from './open-arrow-table.js';

/**
 * The columns of an Arrow IPC file that `encodeArrowFile` wrote; list values widen to float64.
 *
 * There is no checksum in Arrow: compare one before, or a flipped bit reads as another number.
 *
 * @throws Error with a plain reason: cut or foreign bytes, rows that went missing, a column type that is not ours
 */
export function decodeArrowFile(bytes: Uint8Array): ArrowColumns {
  const framing = checkArrowFraming(bytes);
  if (framing.codec !== null) throw new Error(`its bodies are compressed with ${framing.codec}`);
  const table = openArrowTable(bytes, framing);
  const columns = table.schema.fields.map((field, n) => {
    const chunks = table.batches.map((batch: RecordBatch) => batch.data.children[n]!);
    return [field.name, decodeColumn(field, chunks, table.numRows)] as const;
  });
  return Object.fromEntries(columns);
}

function decodeColumn(field: Field, chunks: readonly Data[], rowCount: number): ArrowColumn {
  const { type } = field;
  const nulls = decodeNulls(chunks, rowCount);
  if (DataType.isUtf8(type)) return { type: 'utf8', values: sharedUtf8(chunks, rowCount, nulls) };
  if (DataType.isInt(type) && type.bitWidth === 8 && !type.isSigned) {
    return { type: 'uint8', values: joinValues(chunks, new Uint8Array(rowCount)), nulls };
  }
  if (DataType.isInt(type) && type.bitWidth === 32 && type.isSigned) {
    return { type: 'int32', values: joinValues(chunks, new Int32Array(rowCount)), nulls };
  }
  if (DataType.isFloat(type) && type.precision === Precision.DOUBLE) {
    return { type: 'float64', values: joinValues(chunks, new Float64Array(rowCount)), nulls };
  }
  if (DataType.isList(type) && DataType.isFloat(type.valueType)) {
    const single = type.valueType.precision === Precision.SINGLE;
    return { type: single ? 'list<float32>' : 'list<float64>', rows: decodeLists(chunks, rowCount), nulls };
  }
  throw new Error(`column ${field.name} has the type ${type}, which is not expected here`);
}

function joinValues<T extends Uint8Array | Int32Array | Float64Array>(chunks: readonly Data[], target: T): T {
  let row = 0;
  for (const chunk of chunks) {
    const values = (chunk.values as T).subarray(0, chunk.length) as T;
    // Fresh memory is 0 already, and costs no time until it is written to.
    if (chunk.nullCount < chunk.length || !areZeros(values)) target.set(values, row);
    row += chunk.length;
  }
  return target;
}

function areZeros(values: Uint8Array | Int32Array | Float64Array): boolean {
  for (let n = 0; n < values.length; n++) if (values[n] !== 0) return false;
  return true;
}

function decodeNulls(chunks: readonly Data[], rowCount: number): Uint8Array | undefined {
  if (chunks.every((chunk) => chunk.nullCount === 0)) return undefined;
  const nulls = new Uint8Array(rowCount);
  let row = 0;
  for (const chunk of chunks) {
    const bitmap = chunk.nullBitmap;
    if (chunk.nullCount === chunk.length) nulls.fill(1, row, row + chunk.length);
    else if (chunk.nullCount > 0) {
      for (let n = 0; n < chunk.length; n++) nulls[row + n] = (bitmap[n >> 3]! >> (n & 7)) & 1 ? 0 : 1;
    }
    row += chunk.length;
  }
  return nulls;
}

/** Tables of fewer rows cost little whatever is done. */
const SHARED_ROWS = 1_000;

/** Text columns that are still in use, by the hash of their bytes. */
const decodedTexts = new Map<string, WeakRef<(string | null)[]>>();

/**
 * Equal text columns of several files (the ids of one data set, scored by ten models) become the same list: a million
 * strings a file are most of what the garbage collector would have to look at.
 */
function sharedUtf8(chunks: readonly Data[], rowCount: number, nulls: Uint8Array | undefined): (string | null)[] {
  if (rowCount < SHARED_ROWS) return decodeUtf8(chunks, rowCount, nulls);
  const hash = createHash('sha256');
  for (const { valueOffsets, values } of chunks) {
    hash.update(valueOffsets as Int32Array);
    hash.update(values as Uint8Array);
  }
  const key = hash.update(nulls ?? new Uint8Array()).digest('base64');
  const known = decodedTexts.get(key)?.deref();
  if (known !== undefined) return known;
  const decoded = decodeUtf8(chunks, rowCount, nulls);
  decodedTexts.set(key, new WeakRef(decoded));
  return decoded;
}

function decodeUtf8(chunks: readonly Data[], rowCount: number, nulls: Uint8Array | undefined): (string | null)[] {
  const values = new Array<string | null>(rowCount).fill(null);
  let row = 0;
  for (const chunk of chunks) {
    if (chunk.nullCount < chunk.length) {
      const offsets = chunk.valueOffsets as Int32Array;
      const bytes = Buffer.from(chunk.values.buffer, chunk.values.byteOffset, chunk.values.byteLength);
      const [first, last] = [offsets[0]!, offsets[chunk.length]!];
      // One conversion for the whole chunk is far cheaper than one a value; it needs one byte per character.
      const text = bytes.toString('utf8', first, last);
      const ascii = text.length === last - first;
      for (let n = 0; n < chunk.length; n++) {
        if (nulls?.[row + n] === 1) continue;
        const start = offsets[n]!;
        const end = offsets[n + 1]!;
        values[row + n] = ascii ? text.slice(start - first, end - first) : bytes.toString('utf8', start, end);
      }
    }
    row += chunk.length;
  }
  return values;
}

function decodeLists(
  chunks: readonly Data[],
  rowCount: number,
): { rowCount: number; offsets: Int32Array; values: Float64Array } {
  const lists = chunks.map(listsOf);
  const count = lists.reduce((sum, { values }) => sum + values.length, 0);
  // These are calibrated by several threads, which then need no copy.
  const room = (bytes: number) => (rowCount < SHARED_ROWS ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes));
  const offsets = new Int32Array(room(4 * (rowCount + 1)));
  const values = new Float64Array(room(8 * count));
  let [row, position] = [0, 0];
  for (const { ends, first, values: own } of lists) {
    for (let n = 0; n < ends.length; n++) offsets[row + n + 1] = position + ends[n]! - first;
    values.set(own, position);
    row += ends.length;
    position += own.length;
  }
  return { rowCount, offsets, values };
}

/** The values of a chunk of lists, at which offset they begin in their column, and at which each list ends. */
function listsOf(chunk: Data): { ends: Int32Array; first: number; values: Float32Array | Float64Array } {
  const offsets = chunk.valueOffsets as Int32Array;
  const [first = 0] = offsets;
  const values = chunk.children[0]?.values as Float32Array | Float64Array;
  return { ends: offsets.subarray(1, chunk.length + 1), first, values: values.subarray(first, offsets[chunk.length]) };
}
