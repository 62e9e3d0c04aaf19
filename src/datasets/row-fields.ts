import { isRowObject, type RowObject, scalarText } from './source-row.js';

const MAX_DEPTH = 4;

/**
 * The scalar fields of a row as text, nested ones under dotted names; null becomes "". Lists are left out. Every name
 * that occurs goes into `found`, lists and objects too.
 */
export function rowFields(row: RowObject, found: Set<string>): Record<string, string> {
  const fields: Record<string, string> = {};
  collect(row, '', 0, fields, found);
  return fields;
}

function collect(
  row: RowObject,
  prefix: string,
  depth: number,
  fields: Record<string, string>,
  found: Set<string>,
): void {
  for (const key of Object.keys(row)) {
    const value = row[key]!;
    const name = prefix === '' ? key : `${prefix}.${key}`;
    if (found.size < 10_000) found.add(name);
    const text = scalarText(value);
    if (text !== undefined) setText(fields, name, text ?? '');
    else if (depth < MAX_DEPTH && isRowObject(value)) collect(value, name, depth + 1, fields, found);
  }
}

function setText(fields: Record<string, string>, name: string, value: string): void {
  if (name === '__proto__') {
    Object.defineProperty(fields, name, { value, enumerable: true, writable: true, configurable: true });
  } else if (!Object.hasOwn(fields, name)) {
    fields[name] = value;
  }
}
