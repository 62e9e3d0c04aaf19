import { fieldOf, isRowObject, type RowObject, type RowValue } from '../../formats/row/source-row.js';

/** Rows of a source with the names of their fields, nested ones under dotted names. */
export interface RowSample {
  readonly rows: readonly RowObject[];
  readonly names: readonly string[];
  /** So many rows may be unlike the others. */
  readonly exceptions: number;
}

/** Up to this share of the rows decides nothing: what nearly all rows say is proposed, and the others are named. */
export const EXCEPTION_SHARE = 0.1;

/** A sample whose rows must all be alike. */
export function rowSample(rows: readonly RowObject[]): RowSample {
  const names = new Set<string>();
  for (const row of rows.slice(0, 200)) addNames(row, '', names);
  return { rows, names: [...names], exceptions: 0 };
}

/** A sample in which a small share of the rows may be unlike the others. */
export function withExceptions(sample: RowSample, share = EXCEPTION_SHARE): RowSample {
  return { ...sample, exceptions: Math.floor(share * sample.rows.length) };
}

const MOST_INNER = 30;
const DEEPEST = 3;

/** Larger objects are maps from texts to something, not fields. */
function addNames(row: RowObject, prefix: string, names: Set<string>): void {
  for (const [key, value] of Object.entries(row)) {
    const name = prefix + key;
    names.add(name);
    const inner = isRowObject(value) ? value : Array.isArray(value) && isRowObject(value[0]) ? value[0] : null;
    if (inner !== null && Object.keys(inner).length <= MOST_INNER && name.split('.').length < DEEPEST)
      addNames(inner, `${name}.`, names);
  }
}

/** Whether every row but the exceptions of the sample has the field, with a value that the test takes. */
export function everyRow(
  { rows, exceptions }: RowSample,
  name: string,
  test: (value: RowValue, row: RowObject) => boolean,
): boolean {
  return allBut(exceptions, rows, (row) => {
    const value = fieldOf(row, name);
    return value !== undefined && test(value, row);
  });
}

/** Whether a test holds for all items but so many, and for one at least where there are some. */
export function allBut<T>(exceptions: number, items: readonly T[], test: (item: T) => boolean): boolean {
  let failed = 0;
  for (const item of items) if (!test(item) && ++failed > exceptions) return false;
  return failed === 0 || failed < items.length;
}

/**
 * The names that a pattern knows come first, in the order of the patterns; compared by the last part of a dotted name.
 */
export function byName(names: readonly string[], patterns: readonly RegExp[]): { known: string[]; others: string[] } {
  const last = (name: string) => name.slice(name.lastIndexOf('.') + 1);
  const known = patterns.flatMap((pattern) => names.filter((name) => pattern.test(last(name))));
  return { known: [...new Set(known)], others: names.filter((name) => !known.includes(name)) };
}

export function isScalar(value: RowValue | undefined): value is string | number | bigint | boolean | null {
  return value !== undefined && (value === null || typeof value !== 'object');
}
