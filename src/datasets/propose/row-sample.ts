import { fieldOf, isRowObject, type RowObject, type RowValue } from '../source-row.js';

/** Rows of a source with the names of their fields, nested ones under dotted names. */
export interface RowSample {
  readonly rows: readonly RowObject[];
  readonly names: readonly string[];
}

export function rowSample(rows: readonly RowObject[]): RowSample {
  const names = new Set<string>();
  for (const row of rows.slice(0, 200)) {
    for (const [key, value] of Object.entries(row)) {
      names.add(key);
      const inner = isRowObject(value) ? value : Array.isArray(value) && isRowObject(value[0]) ? value[0] : null;
      if (inner !== null && Object.keys(inner).length <= 20)
        for (const step of Object.keys(inner)) names.add(`${key}.${step}`);
    }
  }
  return { rows, names: [...names] };
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

/** The names that a pattern knows come first, in the order of the patterns; compared by the last part of a dotted name. */
export function byName(names: readonly string[], patterns: readonly RegExp[]): { known: string[]; others: string[] } {
  const last = (name: string) => name.split('.').at(-1)!;
  const known = patterns.flatMap((pattern) => names.filter((name) => pattern.test(last(name))));
  return { known: [...new Set(known)], others: names.filter((name) => !known.includes(name)) };
}

export function isScalar(value: RowValue | undefined): value is string | number | bigint | boolean | null {
  return value !== undefined && (value === null || typeof value !== 'object');
}
