import { fieldOf, isRowObject, type RowObject, type RowValue } from '../../formats/row/source-row.js';

/** Rows of a source with the names of their fields, nested ones under dotted names. */
export interface RowSample {
  readonly rows: readonly RowObject[];
  readonly names: readonly string[];
}

export function rowSample(rows: readonly RowObject[]): RowSample {
  const names = new Set<string>();
  for (const row of rows.slice(0, 200)) addNames(row, '', names);
  return { rows, names: [...names] };
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

/** Whether every row has the field, with a value that the test takes. */
export function everyRow(
  { rows }: RowSample,
  name: string,
  test: (value: RowValue, row: RowObject) => boolean,
): boolean {
  return rows.every((row) => {
    const value = fieldOf(row, name);
    return value !== undefined && test(value, row);
  });
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
