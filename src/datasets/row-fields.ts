import { isRowObject, type RowObject, scalarText } from './source-row.js';

const MAX_DEPTH = 4;

/**
 * The scalar fields of a row as text, nested ones under dotted names; null becomes "". Lists are left out. Every name
 * that occurs goes into `found`, lists and objects too. Objects named in `whole` are not entered: they are no fields but
 * one value, such as a map from option text to truth.
 */
export function rowFields(row: RowObject, found: Set<string>, whole: ReadonlySet<string>): Record<string, string> {
  const fields: Record<string, string> = {};
  collect(row, '', 0, fields, { found, whole });
  return fields;
}

interface Names {
  readonly found: Set<string>;
  readonly whole: ReadonlySet<string>;
}

function collect(row: RowObject, prefix: string, depth: number, fields: Record<string, string>, names: Names): void {
  for (const key of Object.keys(row)) {
    const value = row[key]!;
    const name = prefix === '' ? key : `${prefix}.${key}`;
    if (names.found.size < 10_000) names.found.add(name);
    const text = scalarText(value);
    if (text !== undefined) setText(fields, name, text ?? '');
    else if (depth < MAX_DEPTH && isRowObject(value) && !names.whole.has(name)) {
      collect(value, name, depth + 1, fields, names);
    }
  }
}

function setText(fields: Record<string, string>, name: string, value: string): void {
  if (name === '__proto__') {
    Object.defineProperty(fields, name, { value, enumerable: true, writable: true, configurable: true });
  } else if (!Object.hasOwn(fields, name)) {
    fields[name] = value;
  }
}
