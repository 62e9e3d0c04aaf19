import type { OptionsMapping } from './field-mapping.js';
import { JsonFault, JsonReader } from './parse-json.js';
import { fieldOf, isRowObject, type RowValue, type SourceRow, scalarText } from './source-row.js';

export type RowOptions =
  | { readonly kind: 'ok'; readonly options: readonly string[] }
  | { readonly kind: 'missing'; readonly field: string }
  | { readonly kind: 'wrong'; readonly field: string; readonly message: string };

/** Labels are the letters A to Z, so no more options than that. */
export const MAX_OPTIONS = 26;

/** The K option texts of a row, untouched; null is an empty text. */
export function rowOptions(row: SourceRow, mapping: OptionsMapping): RowOptions {
  if (mapping.kind === 'fixed') return { kind: 'ok', options: mapping.labels };
  return mapping.kind === 'list' ? fromList(row, mapping.field) : fromColumns(row, mapping.columns);
}

function fromColumns(row: SourceRow, columns: readonly string[]): RowOptions {
  const options: string[] = [];
  for (const field of columns) {
    const value = fieldOf(row.values, field);
    if (value === undefined) return { kind: 'missing', field };
    const text = scalarText(value);
    if (text === undefined)
      return { kind: 'wrong', field, message: `expected one option text, found ${describe(value)}` };
    options.push(text ?? '');
  }
  return { kind: 'ok', options };
}

function fromList(row: SourceRow, field: string): RowOptions {
  const value = fieldOf(row.values, field);
  if (value === undefined) return { kind: 'missing', field };
  const list = typeof value === 'string' ? listInText(value) : value;
  if (!Array.isArray(list)) {
    const inner = isRowObject(value) ? `; to reach into it write "${field}.${Object.keys(value)[0] ?? 'name'}"` : '';
    return { kind: 'wrong', field, message: `expected a list of option texts, found ${describe(value)}${inner}` };
  }
  const texts = (list as readonly RowValue[]).map(scalarText);
  const bad = texts.indexOf(undefined);
  if (bad >= 0)
    return { kind: 'wrong', field, message: `option ${bad + 1} is ${describe(list[bad])}; expected a text` };
  if (texts.length < 2) return { kind: 'wrong', field, message: `expected at least 2 options, found ${texts.length}` };
  if (texts.length > MAX_OPTIONS) {
    return { kind: 'wrong', field, message: `expected at most ${MAX_OPTIONS} options, found ${texts.length}` };
  }
  return { kind: 'ok', options: texts.map((text) => text ?? '') };
}

/** CSV has no lists, so a cell may hold a JSON array. */
function listInText(text: string): RowValue {
  if (!text.trimStart().startsWith('[')) return text;
  try {
    return new JsonReader(text).readAll();
  } catch (error) {
    if (error instanceof JsonFault) return text;
    throw error;
  }
}

function describe(value: RowValue | undefined): string {
  if (Array.isArray(value)) return 'a list';
  if (isRowObject(value)) return `an object (${Object.keys(value).slice(0, 5).join(', ')})`;
  return JSON.stringify(typeof value === 'bigint' ? String(value) : (value ?? null)).slice(0, 60);
}
