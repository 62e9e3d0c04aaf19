import {
  fieldOf,
  kindOf,
  lackingFields,
  type RowValue,
  type SourceRow,
  scalarText,
} from '../../formats/row/source-row.js';

export type RowId =
  | { readonly kind: 'ok'; readonly id: string }
  | { readonly kind: 'missing'; readonly fields: readonly string[] }
  | { readonly kind: 'wrong'; readonly field: string; readonly message: string };

/** The id of a row as exact text, several fields joined with `/`. */
export function rowId(row: SourceRow, fields: readonly string[]): RowId {
  const lacking = lackingFields(row.values, fields);
  if (lacking.length > 0) return { kind: 'missing', fields: lacking };
  const parts: string[] = [];
  for (const field of fields) {
    const part = idText(fieldOf(row.values, field) ?? null);
    if (part.kind === 'wrong') return { ...part, field };
    parts.push(part.id);
  }
  return { kind: 'ok', id: parts.join('/') };
}

/** One value as an id: numbers that a double cannot hold exactly are refused, since two ids could become one. */
export function idText(value: RowValue): { kind: 'ok'; id: string } | { kind: 'wrong'; message: string } {
  if (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) {
    return { kind: 'wrong', message: `the id ${value} is not exact as a number; store ids as text or as integers` };
  }
  const text = scalarText(value);
  if (text === undefined) return { kind: 'wrong', message: `an id must be a text or a number, found ${kindOf(value)}` };
  if (text === null || text.trim() === '') return { kind: 'wrong', message: 'the id is empty' };
  return { kind: 'ok', id: text };
}
