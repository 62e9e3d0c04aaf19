import {
  type Data,
  Field,
  Float32,
  Float64,
  Int32,
  List,
  makeData,
  RecordBatch,
  RecordBatchFileWriter,
  Schema,
  Struct,
  Uint8,
  Utf8,
} from 'apache-arrow';
import { type ArrowColumn, type ArrowColumns, lengthOf } from './arrow-column.js';

const BATCH_ROWS = 65_536;

const TYPES = {
  utf8: new Utf8(),
  uint8: new Uint8(),
  int32: new Int32(),
  float64: new Float64(),
  'list<float32>': new List(new Field('item', new Float32(), false)),
  'list<float64>': new List(new Field('item', new Float64(), false)),
} as const;

/**
 * Columns as one Arrow IPC file (uncompressed, batches of 65,536 rows). Same columns, same bytes. All batches share one
 * explicit schema object and no dictionary: apache-arrow drops batches whose schema differs without an error.
 */
export function encodeArrowFile(columns: ArrowColumns): Uint8Array {
  const entries = Object.entries(columns);
  const rowCount = entries.length === 0 ? 0 : lengthOf(entries[0]![1]);
  const uneven = entries.find(([, column]) => lengthOf(column) !== rowCount);
  if (uneven !== undefined)
    throw new RangeError(`column ${uneven[0]} has ${lengthOf(uneven[1])} rows, not ${rowCount}`);
  const schema = new Schema(entries.map(([name, column]) => new Field(name, TYPES[column.type], true)));
  const writer = new RecordBatchFileWriter();
  // Also without rows one (empty) batch is written, since the writer learns the schema from it.
  for (let start = 0; start === 0 || start < rowCount; start += BATCH_ROWS) {
    const end = Math.min(start + BATCH_ROWS, rowCount);
    const children = entries.map(([, column]) => encodeColumn(column, start, end));
    writer.write(
      new RecordBatch(
        schema,
        makeData({ type: new Struct(schema.fields), length: end - start, nullCount: 0, children }),
      ),
    );
  }
  return writer.finish().toUint8Array(true);
}

function encodeColumn(column: ArrowColumn, start: number, end: number): Data {
  const length = end - start;
  switch (column.type) {
    case 'utf8':
      return encodeUtf8(column.values.slice(start, end));
    case 'uint8':
      return makeData({
        type: TYPES.uint8,
        length,
        data: column.values.slice(start, end),
        ...validity(column.nulls, start, end),
      });
    case 'int32':
      return makeData({
        type: TYPES.int32,
        length,
        data: column.values.slice(start, end),
        ...validity(column.nulls, start, end),
      });
    case 'float64':
      return makeData({
        type: TYPES.float64,
        length,
        data: column.values.slice(start, end),
        ...validity(column.nulls, start, end),
      });
    case 'list<float32>':
    case 'list<float64>': {
      const first = column.rows.offsets[start]!;
      const values = column.rows.values.slice(first, column.rows.offsets[end]!);
      const valueOffsets = column.rows.offsets.slice(start, end + 1).map((offset) => offset - first);
      const bits = validity(column.nulls, start, end);
      return column.type === 'list<float32>'
        ? makeData({
            type: TYPES['list<float32>'],
            length,
            valueOffsets,
            child: makeData({ type: new Float32(), data: Float32Array.from(values) }),
            ...bits,
          })
        : makeData({
            type: TYPES['list<float64>'],
            length,
            valueOffsets,
            child: makeData({ type: new Float64(), data: values }),
            ...bits,
          });
    }
  }
}

function encodeUtf8(values: ReadonlyArray<string | null>): Data {
  const data = Buffer.from(values.join(''), 'utf8');
  const valueOffsets = new Int32Array(values.length + 1);
  const nulls = new Uint8Array(values.length);
  let characters = 0;
  for (const value of values) characters += value?.length ?? 0;
  const ascii = characters === data.length;
  values.forEach((value, n) => {
    nulls[n] = value === null ? 1 : 0;
    const bytes = value === null ? 0 : ascii ? value.length : Buffer.byteLength(value, 'utf8');
    valueOffsets[n + 1] = valueOffsets[n]! + bytes;
  });
  const bits = validity(nulls, 0, values.length);
  return makeData({ type: TYPES.utf8, length: values.length, valueOffsets, data: new Uint8Array(data), ...bits });
}

/** Bit n of the bitmap is 1 where row n has a value; no bitmap at all when there is no null. */
function validity(
  nulls: Uint8Array | undefined,
  start: number,
  end: number,
): { nullCount: number; nullBitmap?: Uint8Array } {
  const bitmap = new Uint8Array(Math.ceil((end - start) / 64) * 8);
  let nullCount = 0;
  for (let n = start; n < end; n++) {
    if (nulls?.[n] === 1) nullCount++;
    else bitmap[(n - start) >> 3]! |= 1 << ((n - start) & 7);
  }
  return nullCount === 0 ? { nullCount } : { nullCount, nullBitmap: bitmap };
}
