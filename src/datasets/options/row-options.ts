import { listInText } from '../../formats/json/list-in-text.js';
import {
  fieldOf,
  isRowObject,
  kindOf,
  lackingFields,
  type RowValue,
  type SourceRow,
  scalarText,
} from '../../formats/row/source-row.js';
import { type OptionsMapping, optionFields, type SeveralAnswers } from '../fields/field-mapping.js';
import { letteredOptions, withoutLabels } from './lettered-options.js';
import { mapOptions } from './map-options.js';
import { rightAndWrong, truthOptions } from './truth-options.js';

export type RowOptions =
  /** `label`: where the options bring it along; `several`: more than one is right; `keys`: their own letters. */
  | {
      readonly kind: 'ok';
      readonly options: readonly string[];
      readonly label?: number | null;
      readonly several?: boolean;
      readonly keys?: readonly string[];
    }
  /** All fields that are to hold options and are not there. */
  | { readonly kind: 'missing'; readonly fields: readonly string[] }
  | { readonly kind: 'wrong'; readonly field: string; readonly message: string };

/** Labels are the letters A to Z, so no more options than that. */
export const MAX_OPTIONS = 26;

/**
 * What is wrong with the number of options, or of their scores, that a row has; null: nothing. One rule for data sets,
 * imports, `predict` and `serve`.
 */
export function wrongCount(count: number, what: string): string | null {
  if (count >= 2 && count <= MAX_OPTIONS) return null;
  return `expected ${count < 2 ? 'at least 2' : `at most ${MAX_OPTIONS}`} ${what}, found ${count}`;
}

/** The K option texts of a row, untouched; null is an empty text. */
export function rowOptions(row: SourceRow, mapping: OptionsMapping, several: SeveralAnswers): RowOptions {
  if (mapping.kind === 'fixed') return { kind: 'ok', options: mapping.labels };
  if (mapping.kind === 'columns') return fromColumns(row, mapping.columns);
  const options =
    mapping.kind === 'list'
      ? fromList(row, mapping.field, mapping.separator)
      : mapping.kind === 'right'
        ? fromRight(row, mapping)
        : extracted(row, mapping, several);
  return options.kind === 'ok' ? countChecked(options, optionFields(mapping)[0] ?? '') : options;
}

/** The right option and the wrong ones, each field a text or a list, in an order that is drawn. */
function fromRight(row: SourceRow, mapping: Extract<OptionsMapping, { kind: 'right' }>): RowOptions {
  const lacking = lackingFields(row.values, [mapping.right, ...mapping.wrong]);
  if (lacking.length > 0) return { kind: 'missing', fields: lacking };
  const right = fromColumns(row, [mapping.right]);
  if (right.kind !== 'ok') return right;
  const wrong: string[] = [];
  for (const field of mapping.wrong) {
    const value = fieldOf(row.values, field);
    const several = Array.isArray(value) || (mapping.separator !== undefined && typeof value === 'string');
    const found = several ? fromList(row, field, mapping.separator) : fromColumns(row, [field]);
    if (found.kind !== 'ok') return found;
    wrong.push(...found.options);
  }
  return { kind: 'ok', ...rightAndWrong(right.options[0] ?? '', wrong, mapping.seed) };
}

/** Options that have to be taken out of a text or a map first. */
function extracted(
  row: SourceRow,
  mapping: Extract<OptionsMapping, { kind: 'lettered' | 'truth' | 'map' }>,
  several: SeveralAnswers,
): RowOptions {
  const { field } = mapping;
  const value = fieldOf(row.values, field);
  if (value === undefined) return { kind: 'missing', fields: [field] };
  if (mapping.kind === 'truth') {
    const found = truthOptions(value, mapping.seed, several);
    return 'fault' in found ? { kind: 'wrong', field, message: found.fault } : { kind: 'ok', ...found };
  }
  if (mapping.kind === 'map') {
    const found = mapOptions(value);
    return 'fault' in found ? { kind: 'wrong', field, message: found.fault } : { kind: 'ok', ...found };
  }
  if (typeof value !== 'string') {
    const list = fromList(row, field);
    return list.kind === 'ok' ? { kind: 'ok', options: withoutLabels(list.options) } : list;
  }
  const options = letteredOptions(value);
  return 'fault' in options ? { kind: 'wrong', field, message: options.fault } : { kind: 'ok', options };
}

function countChecked(found: RowOptions & { kind: 'ok' }, field: string): RowOptions {
  const message = wrongCount(found.options.length, 'options');
  return message === null ? found : { kind: 'wrong', field, message };
}

function fromColumns(row: SourceRow, columns: readonly string[]): RowOptions {
  const lacking = lackingFields(row.values, columns);
  if (lacking.length > 0) return { kind: 'missing', fields: lacking };
  const options: string[] = [];
  for (const field of columns) {
    const value = fieldOf(row.values, field) ?? null;
    const text = scalarText(value);
    if (text === undefined)
      return { kind: 'wrong', field, message: `expected one option text, found ${describe(value)}` };
    options.push(text ?? '');
  }
  return { kind: 'ok', options };
}

function fromList(row: SourceRow, field: string, separator?: string): RowOptions {
  const value = fieldOf(row.values, field);
  if (value === undefined) return { kind: 'missing', fields: [field] };
  const list =
    typeof value !== 'string' ? value : separator === undefined ? listInText(value) : cutAt(value, separator);
  if (!Array.isArray(list)) {
    const inner = isRowObject(value) ? `; to reach into it write "${field}.${Object.keys(value)[0] ?? 'name'}"` : '';
    return { kind: 'wrong', field, message: `expected a list of option texts, found ${describe(value)}${inner}` };
  }
  const texts = (list as readonly RowValue[]).map(scalarText);
  const bad = texts.indexOf(undefined);
  if (bad >= 0)
    return { kind: 'wrong', field, message: `option ${bad + 1} is ${describe(list[bad])}; expected a text` };
  return { kind: 'ok', options: texts.map((text) => text ?? '') };
}

/** The texts between separators, without white space around them; a separator at the end begins no further one. */
function cutAt(text: string, separator: string): string[] {
  const parts = text.split(separator).map((part) => part.trim());
  if (parts.at(-1) === '') parts.pop();
  return parts;
}

function describe(value: RowValue | undefined): string {
  return (
    kindOf(value ?? null) ?? JSON.stringify(typeof value === 'bigint' ? String(value) : (value ?? null)).slice(0, 60)
  );
}
