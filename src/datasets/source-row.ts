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
}

/** Rows arrive in groups, so that a file of any length is read in constant memory. */
export type RowBatches = AsyncGenerator<readonly SourceRow[]>;

/** A file to read: the path that is opened and the path that messages show. */
export interface SourceFile {
  readonly path: string;
  readonly shown: string;
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
 * reach into nested objects.
 */
export function fieldOf(row: RowObject, field: string): RowValue | undefined {
  if (Object.hasOwn(row, field)) return row[field];
  if (!field.includes('.')) return undefined;
  let value: RowValue | undefined = row;
  for (const step of field.split('.')) {
    if (!isRowObject(value) || !Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  return value;
}

export function isRowObject(value: RowValue | undefined): value is RowObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A scalar as exact text, null for null, undefined for a list or an object. */
export function scalarText(value: RowValue): string | null | undefined {
  if (typeof value === 'string' || value === null) return value;
  return typeof value === 'object' ? undefined : String(value);
}
