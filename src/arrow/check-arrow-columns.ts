import { isUtf8 } from 'node:buffer';
import { type Batch, type Column, type DataType, Type } from '@uwdata/flechette';

/** A batch of any type, with the buffers that its type has. */
interface AnyBatch {
  readonly length: number;
  readonly nullCount: number;
  readonly type: DataType;
  readonly validity?: Uint8Array;
  readonly values?: ArrayLike<number | bigint>;
  readonly offsets?: ArrayLike<number | bigint>;
  readonly sizes?: ArrayLike<number | bigint>;
  readonly children?: readonly AnyBatch[];
  readonly typeIds?: ArrayLike<number>;
  readonly data?: readonly Uint8Array[];
  readonly dictionary?: Column<unknown>;
}

const OUTSIDE = 'the cells of a column lie outside the column';
const SHORT = 'a column is shorter than its row count';

/**
 * Checks the buffers of a column that another program wrote, at any depth: the decoder does not, so that a changed byte
 * would make a cell of 2 billion elements, text from other cells, or cells without a value.
 *
 * @throws Error with a plain reason
 */
export function checkArrowColumn(column: Column<unknown>): void {
  for (const batch of column.data) checkBatch(batch as unknown as AnyBatch);
}

/** Rows of a column that one record batch holds. */
export function batchLengths(column: Column<unknown>): number[] {
  return column.data.map((batch: Batch<unknown>) => batch.length);
}

function checkBatch(batch: AnyBatch): void {
  const { length, nullCount, validity, type, children = [] } = batch;
  if (length === 0) return;
  if (hasBitmap(type) && nullCount > 0 && (validity?.length ?? 0) * 8 < length) throw new Error(SHORT);
  if (type.typeId === Type.Dictionary) checkKeys(batch);
  else if (type.typeId === Type.RunEndEncoded) checkRuns(batch);
  else if (type.typeId === Type.Union) checkUnion(batch);
  else if (type.typeId === Type.Utf8View || type.typeId === Type.BinaryView) checkViews(batch);
  else if (batch.sizes !== undefined) checkRanges(batch);
  else if (batch.offsets !== undefined) checkOffsets(batch);
  else checkValues(batch);
  for (const child of children) checkBatch(child);
}

function hasBitmap({ typeId }: DataType): boolean {
  return typeId !== Type.Null && typeId !== Type.Union && typeId !== Type.RunEndEncoded;
}

/** Columns whose cells have all one width, and structs, whose cells are those of their children. */
function checkValues({ length, type, values, children = [] }: AnyBatch): void {
  const width = cellsPerRow(type);
  const room = type.typeId === Type.Bool ? (values?.length ?? 0) * 8 : values?.length;
  if (room !== undefined && room < length * width) throw new Error(SHORT);
  for (const child of children) if (child.length < length * width) throw new Error(SHORT);
}

/** Elements of the values or of the child that make one row. */
function cellsPerRow(type: DataType): number {
  if (type.typeId === Type.FixedSizeBinary || type.typeId === Type.FixedSizeList) return type.stride;
  if (type.typeId === Type.Decimal) return Math.max(1, type.bitWidth / 64);
  return 1;
}

function checkOffsets(batch: AnyBatch): void {
  const { offsets = [], length, type } = batch;
  if (offsets.length <= length) throw new Error(SHORT);
  const limit = batch.children?.[0]?.length ?? batch.values?.length ?? 0;
  let previous = 0;
  for (let n = 0; n <= length; n++) {
    const offset = Number(offsets[n]);
    if (offset < previous || offset > limit) throw new Error(OUTSIDE);
    previous = offset;
  }
  if (type.typeId === Type.Utf8 || type.typeId === Type.LargeUtf8)
    checkText((batch.values as Uint8Array).subarray(Number(offsets[0]), previous));
}

/** List views, whose cells may lie anywhere in the child. */
function checkRanges(batch: AnyBatch): void {
  const { offsets = [], sizes = [], length } = batch;
  if (offsets.length < length || sizes.length < length) throw new Error(SHORT);
  const limit = batch.children?.[0]?.length ?? 0;
  for (let n = 0; n < length; n++) {
    const [offset, size] = [Number(offsets[n]), Number(sizes[n])];
    if (isValid(batch, n) && (offset < 0 || size < 0 || offset + size > limit)) throw new Error(OUTSIDE);
  }
}

/** Texts of up to 12 bytes lie in their view, longer ones in one of several buffers. */
function checkViews(batch: AnyBatch): void {
  const { length, type, data = [] } = batch;
  const bytes = batch.values as unknown as Uint8Array;
  if (bytes.length < length * 16) throw new Error(SHORT);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let n = 0; n < length; n++) {
    if (!isValid(batch, n)) continue;
    const at = n * 16;
    const size = view.getInt32(at, true);
    const inside = size <= 12;
    const buffer = inside ? bytes : data[view.getInt32(at + 8, true)];
    const start = inside ? at + 4 : view.getInt32(at + 12, true);
    if (buffer === undefined || size < 0 || start < 0 || start + size > buffer.length) throw new Error(OUTSIDE);
    if (type.typeId === Type.Utf8View) checkText(buffer.subarray(start, start + size));
  }
}

function checkRuns({ length, children = [] }: AnyBatch): void {
  const [ends, values] = children;
  const runs = ends?.values;
  if (ends === undefined || values === undefined || runs === undefined || values.length < ends.length)
    throw new Error(SHORT);
  let previous = 0;
  for (let n = 0; n < ends.length; n++) {
    const end = Number(runs[n]);
    if (end <= previous) throw new Error(OUTSIDE);
    previous = end;
  }
  if (previous < length) throw new Error(SHORT);
}

function checkUnion({ length, type, typeIds = [], offsets, children = [] }: AnyBatch): void {
  if (type.typeId !== Type.Union) return;
  if (typeIds.length < length || (offsets?.length ?? length) < length) throw new Error(SHORT);
  for (let n = 0; n < length; n++) {
    const child = children[type.typeMap[typeIds[n] ?? -1] ?? -1];
    const at = Number(offsets?.[n] ?? n);
    if (child === undefined || at < 0 || at >= child.length) throw new Error(OUTSIDE);
  }
}

function checkKeys(batch: AnyBatch): void {
  const { length, values = [], dictionary } = batch;
  if (values.length < length) throw new Error(SHORT);
  if (dictionary === undefined) throw new Error('a dictionary of its columns is missing');
  checkArrowColumn(dictionary);
  for (let n = 0; n < length; n++) {
    const key = Number(values[n]);
    if (isValid(batch, n) && (key < 0 || key >= dictionary.length))
      throw new Error('a cell of a column lies outside its dictionary');
  }
}

function isValid({ nullCount, validity }: AnyBatch, n: number): boolean {
  return nullCount === 0 || validity === undefined || ((validity[n >> 3] ?? 0) & (1 << (n & 7))) !== 0;
}

/** The decoder would put replacement characters for bytes that are no text. */
function checkText(bytes: Uint8Array): void {
  if (!isUtf8(bytes)) throw new Error('a text column holds bytes that are not UTF-8');
}
