/** A cell of a source row. 64-bit integers that a double would round are bigint. */
export type RowValue = string | number | bigint | boolean | null | readonly RowValue[] | RowObject;

export interface RowObject {
  readonly [field: string]: RowValue;
}

/** One row as its file holds it, before any mapping. */
export interface SourceRow {
  readonly values: RowObject;
  /** 1-based position among the rows of the file. */
  readonly number: number;
  /** 1-based line on which the row begins; undefined for formats without lines. */
  readonly line: number | undefined;
  /** The file as messages show it, where a source has several. */
  readonly file?: string | undefined;
}

/** Rows arrive in groups, so that a file of any length is read in constant memory. */
export type RowBatches = AsyncGenerator<readonly SourceRow[]>;

/** Bytes that come once, such as standard input: their beginning can be looked at before they are read. */
export interface ByteStream {
  /** The first chunk, which is still read afterwards; empty where nothing comes. */
  beginning(): Promise<Buffer>;
  /** All chunks. Can be asked for once. */
  chunks(): AsyncGenerator<Buffer>;
}

/** A file to read: the path that is opened and the path that messages show. */
export interface SourceFile {
  readonly path: string;
  readonly shown: string;
  /** What is read in place of the file at `path`. */
  readonly stream?: ByteStream;
}

/**
 * Sets an own property whatever its name: plain assignment of `__proto__` would change the prototype and lose the
 * value.
 */
export function setField(target: Record<string, RowValue>, field: string, value: RowValue): void {
  if (field === '__proto__') {
    Object.defineProperty(target, field, { value, enumerable: true, writable: true, configurable: true });
  } else {
    target[field] = value;
  }
}

/**
 * The value of a field, or undefined when the row does not have it. A field of exactly that name wins; otherwise dots
 * reach into nested objects, and through lists of objects.
 */
export function fieldOf(row: RowObject, field: string): RowValue | undefined {
  if (Object.hasOwn(row, field)) return row[field];
  if (!field.includes('.')) return undefined;
  let value: RowValue | undefined = row;
  for (const step of field.split('.')) {
    value = Array.isArray(value) ? eachOf(value, step) : stepInto(value, step);
    if (value === undefined) return undefined;
  }
  return value;
}

/** Those of the fields that the row does not have. */
export function lackingFields(row: RowObject, fields: readonly string[]): string[] {
  return fields.filter((field) => fieldOf(row, field) === undefined);
}

function stepInto(value: RowValue, step: string): RowValue | undefined {
  return isRowObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

/** A step into a list of objects gives the list of what each of them has there. */
function eachOf(list: readonly RowValue[], step: string): RowValue[] | undefined {
  const values = list.map((item) => stepInto(item, step));
  return values.includes(undefined) ? undefined : (values as RowValue[]);
}

export function isRowObject(value: RowValue | undefined): value is RowObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a value is, for messages; undefined for a scalar. */
export function kindOf(value: RowValue): string | undefined {
  if (Array.isArray(value)) return 'a list';
  if (!isRowObject(value)) return undefined;
  const names = Object.keys(value);
  if (names.join() === 'unreadable') return `a column of a type that is not read: ${value.unreadable}`;
  // What stands for bytes that are no text (`plainCell`).
  if (names.join() === 'bytes,sha256') return `binary data (${value.bytes} bytes), which is no text`;
  return `an object (${names.slice(0, 5).join(', ')})`;
}

/** What stands in every row for a cell of a column that no reader of ours knows; see `kindOf`. */
export function unreadableCell(why: string): RowObject {
  return { unreadable: why };
}

/** A scalar as exact text, null for null, undefined for a list or an object. */
export function scalarText(value: RowValue): string | null | undefined {
  if (typeof value === 'string' || value === null) return value;
  return typeof value === 'object' ? undefined : String(value);
}
