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
  const [first] = Object.values(columns);
  const rowCount = first === undefined ? 0 : lengthOf(first);
  const uneven = entries.find(([, column]) => lengthOf(column) !== rowCount);
  if (uneven !== undefined)
    throw new RangeError(`column ${uneven[0]} has ${lengthOf(uneven[1])} rows, not ${rowCount}`);
  const schema = new Schema(entries.map(([name, column]) => new Field(name, TYPES[column.type], true)));
  const writer = new RecordBatchFileWriter();
  // Also without rows one (empty) batch is written, since the writer learns the schema from it.
  for (let start = 0; start === 0 || start < rowCount; start += BATCH_ROWS) {
    const end = Math.min(start + BATCH_ROWS, rowCount);
    const children = entries.map(([, column]) => encodeColumn(column, { start, end }));
    writer.write(
      new RecordBatch(
        schema,
        makeData({ type: new Struct(schema.fields), length: end - start, nullCount: 0, children }),
      ),
    );
  }
  return writer.finish().toUint8Array(true);
}

/** Rows of a column, the last one excluded. */
interface Range {
  readonly start: number;
  readonly end: number;
}

function encodeColumn(column: ArrowColumn, range: Range): Data {
  const { start, end } = range;
  const length = end - start;
  switch (column.type) {
    case 'utf8':
      return encodeUtf8(column.values.slice(start, end));
    case 'uint8': {
      const data = column.values.slice(start, end);
      return makeData({ type: TYPES.uint8, length, data, ...validity(column.nulls, range) });
    }
    case 'int32': {
      const data = column.values.slice(start, end);
      return makeData({ type: TYPES.int32, length, data, ...validity(column.nulls, range) });
    }
    case 'float64': {
      const data = column.values.slice(start, end);
      return makeData({ type: TYPES.float64, length, data, ...validity(column.nulls, range) });
    }
    case 'list<float32>': {
      const { values, ...lists } = listParts(column, range);
      const child = makeData({ type: new Float32(), data: Float32Array.from(values) });
      return makeData({ type: TYPES['list<float32>'], child, ...lists });
    }
    case 'list<float64>': {
      const { values, ...lists } = listParts(column, range);
      const child = makeData({ type: new Float64(), data: values });
      return makeData({ type: TYPES['list<float64>'], child, ...lists });
    }
    default:
      throw unknownType(column);
  }
}

/** A type that the switch above lacks does not compile: nothing is left of the union that could be passed here. */
function unknownType(column: never): Error {
  return new Error(`no way to write the column ${JSON.stringify(column)}`);
}

type ListColumn = Extract<ArrowColumn, { readonly rows: unknown }>;

/** The values of a range of lists, one list after the other, and where in them each list begins. */
function listParts({ rows, nulls }: ListColumn, range: Range) {
  const { start, end } = range;
  const first = rows.offsets[start] ?? 0;
  return {
    length: end - start,
    values: rows.values.slice(first, rows.offsets[end]),
    valueOffsets: rows.offsets.slice(start, end + 1).map((offset) => offset - first),
    ...validity(nulls, range),
  };
}

function encodeUtf8(values: ReadonlyArray<string | null>): Data {
  const data = Buffer.from(values.join(''), 'utf8');
  const valueOffsets = new Int32Array(values.length + 1);
  const nulls = new Uint8Array(values.length);
  let characters = 0;
  for (const value of values) characters += value?.length ?? 0;
  const ascii = characters === data.length;
  let end = 0;
  values.forEach((value, n) => {
    nulls[n] = value === null ? 1 : 0;
    end += value === null ? 0 : ascii ? value.length : Buffer.byteLength(value, 'utf8');
    valueOffsets[n + 1] = end;
  });
  const bits = validity(nulls, { start: 0, end: values.length });
  return makeData({ type: TYPES.utf8, length: values.length, valueOffsets, data: new Uint8Array(data), ...bits });
}

/** Bit n of the bitmap is 1 where row n has a value; no bitmap at all when there is no null. */
function validity(
  nulls: Uint8Array | undefined,
  { start, end }: Range,
): { nullCount: number; nullBitmap?: Uint8Array } {
  const bitmap = new Uint8Array(Math.ceil((end - start) / 64) * 8);
  let nullCount = 0;
  for (let n = start; n < end; n++) {
    if (nulls?.[n] === 1) nullCount++;
    else bitmap[(n - start) >> 3]! |= 1 << ((n - start) & 7);
  }
  return nullCount === 0 ? { nullCount } : { nullCount, nullBitmap: bitmap };
}
