import type { Fault } from '../../errors/supportcal-error.js';
import type { FaultList } from '../../formats/row/fault-list.js';
import {
  fieldOf,
  isRowObject,
  kindOf,
  type RowObject,
  type RowValue,
  type SourceRow,
  scalarText,
} from '../../formats/row/source-row.js';
import { contentHash } from '../example/content-hash.js';
import type { DatasetSpec } from '../example/dataset-spec.js';
import { nearHash } from '../example/near-hash.js';
import { bringsLabel, type FieldMapping, optionFields } from '../fields/field-mapping.js';
import type { MissingFields } from '../fields/missing-fields.js';
import { oneAnswer, trueAnswer } from '../fields/one-answer.js';
import { rowId } from '../fields/row-id.js';
import { type RowOptions, rowOptions } from '../options/row-options.js';
import type { RowSource } from '../source/open-source.js';

/** A row whose fields are mapped but whose label is still as the file has it. */
export interface DraftRow {
  /** null: to become the content hash. */
  id: string | null;
  readonly fields: Readonly<Record<string, string>>;
  readonly options: readonly string[];
  readonly label: RowValue;
  /** More than one answer is right, so that there is no label. */
  readonly several: boolean;
  readonly contentHash: string;
  readonly nearHash: string;
  /** null: the row is in no group. */
  readonly group: string | null;
  readonly number: number;
  readonly line: number | undefined;
  readonly file: string | undefined;
}

/** A row that has its id. */
export type IdentifiedRow = DraftRow & { readonly id: string };

/** What mapping a row needs to know and where it reports to. */
export interface DraftContext {
  readonly spec: DatasetSpec;
  readonly mapping: FieldMapping;
  readonly source: RowSource;
  readonly faults: FaultList;
  readonly missing: MissingFields;
  readonly found: Set<string>;
  /** Fields that some prompt template names, and where. */
  readonly promptFields: ReadonlyMap<string, readonly string[]>;
  /** Fields that are no content: id, label and options. */
  readonly leaveOut: ReadonlySet<string>;
}

/** A fault of one row, which is named by its id, or by its number where the id is a hash that stands in no file. */
export function rowFault(
  row: Pick<DraftRow, 'id' | 'number' | 'line' | 'file'>,
  field: string | undefined,
  message: string,
  { mapping, source }: Pick<DraftContext, 'mapping' | 'source'>,
): Fault {
  const { id, line, number } = row;
  const name = mapping.idFields.length > 0 && id !== null ? id : `${number}`;
  return { file: source.fileOf(field, row), line, field, row: name, number, message };
}

export function leaveOutFields({ idFields, label, options, addedFields }: FieldMapping): Set<string> {
  return new Set([...idFields, ...addedFields, ...(label === null ? [] : [label.field]), ...optionFields(options)]);
}

/** Maps the fields of one row; null when it cannot be used, which is then in `faults` or `missing`. */
export function draftRow(row: SourceRow, context: DraftContext): DraftRow | null {
  const { mapping, missing } = context;
  const fields = promptTexts(row, rowFields(row.values, context.found, context.leaveOut), context);
  let usable = true;
  for (const [field, yamlPath] of context.promptFields) {
    if (mapping.promptNames.has(field) || Object.hasOwn(fields, field)) continue;
    // The fault is told at the end; what else is wrong with the row does not depend on it.
    const value = fieldOf(row.values, field);
    missing.add(field, row, yamlPath, value === undefined ? undefined : kindOf(value));
  }
  const id = mapping.idFields.length === 0 ? null : rowId(row, mapping.idFields);
  const place = { id: id?.kind === 'ok' ? id.id : null, number: row.number, line: row.line, file: row.file };
  const options = rowOptions(row, mapping.options, mapping.severalAnswers);
  const label = draftLabel(row, options, mapping);
  const group = draftGroup(row, mapping);
  for (const [part, yamlPath] of [
    [id, ['fields', 'id']],
    [options, ['fields', 'options']],
    [label, mapping.label?.yamlPath ?? []],
    [group, ['fields', 'group']],
  ] as const) {
    if (part === null || part.kind === 'ok') continue;
    usable = false;
    if (part.kind === 'missing') for (const field of part.fields) missing.add(field, row, yamlPath);
    else context.faults.add(rowFault(place, part.field, part.message, context));
  }
  if (!usable || options.kind !== 'ok' || label.kind !== 'ok' || group.kind !== 'ok') return null;
  const hash = contentHash(fields, options.options, context.leaveOut);
  return {
    ...place,
    fields,
    options: options.options,
    label: label.value,
    several: label.several ?? false,
    group: group.group,
    contentHash: hash,
    nearHash: context.promptFields.size === 0 ? hash : nearHash(fields, options.options, context.promptFields.keys()),
  };
}

/** The fields with those that `fields.prompt` gives another name under that one. */
function promptTexts(
  row: SourceRow,
  fields: Record<string, string>,
  { mapping: { promptNames }, missing }: DraftContext,
): Record<string, string> {
  if (promptNames.size === 0) return fields;
  const taken = new Set(promptNames.values());
  const named = Object.entries(fields).filter(([field]) => !taken.has(field));
  const renamed = [...promptNames].map(([name, field]): [string, string] => {
    const value = fieldOf(row.values, field);
    const text = value === undefined ? undefined : scalarText(value);
    const kind = value === undefined ? undefined : kindOf(value);
    if (text === undefined) missing.add(field, row, ['fields', 'prompt', name], kind);
    return [name, text ?? ''];
  });
  return Object.fromEntries([...named, ...renamed]);
}

/** The group of a row as text; an empty value is none. */
function draftGroup(row: SourceRow, { group: field }: FieldMapping) {
  if (field === null) return { kind: 'ok', group: null } as const;
  const value = fieldOf(row.values, field);
  if (value === undefined) return { kind: 'missing', fields: [field] } as const;
  const text = scalarText(value);
  if (text !== undefined) return { kind: 'ok', group: text === null || text === '' ? null : text } as const;
  return { kind: 'wrong', field, message: `expected a text or a number, found ${kindOf(value)}` } as const;
}

type DraftLabel =
  | { readonly kind: 'ok'; readonly value: RowValue; readonly several?: boolean }
  | { readonly kind: 'missing'; readonly fields: readonly string[] }
  | { readonly kind: 'wrong'; readonly field: string; readonly message: string };

/** The label as the file has it; where the row brings its own option labels, the position among them. */
function draftLabel(row: SourceRow, options: RowOptions, mapping: FieldMapping): DraftLabel {
  const { label } = mapping;
  if (label === null) return { kind: 'ok', value: null };
  if (bringsLabel(mapping.options))
    return { kind: 'ok', value: null, ...(options.kind === 'ok' ? broughtLabel(options) : {}) };
  const written = fieldOf(row.values, label.field);
  if (written === undefined) {
    if (mapping.missingLabels === undefined) return { kind: 'missing', fields: [label.field] };
    return { kind: 'ok', value: null };
  }
  const count = options.kind === 'ok' ? options.options.length : 0;
  const answer =
    label.as === 'truth'
      ? trueAnswer(written, count, mapping.severalAnswers)
      : oneAnswer(written, mapping.severalAnswers);
  if (answer.kind === 'wrong')
    return options.kind === 'ok' ? { ...answer, field: label.field } : { kind: 'ok', value: null };
  if (answer.kind === 'several') return { kind: 'ok', value: null, several: true };
  const { value } = answer;
  if (label.amongLetters)
    return options.kind === 'ok' ? positionAmong(value, options.keys ?? [], label.field) : { kind: 'ok', value: null };
  if (label.keys === undefined) return { kind: 'ok', value };
  const keys = fieldOf(row.values, label.keys);
  if (keys === undefined) return { kind: 'missing', fields: [label.keys] };
  return positionAmong(value, keys, label.field);
}

function broughtLabel({ label = null, several = false }: RowOptions & { kind: 'ok' }) {
  return { value: label, several };
}

function positionAmong(value: RowValue, keys: RowValue, field: string): DraftLabel {
  const text = scalarText(value)?.trim() ?? '';
  if (text === '') return { kind: 'ok', value: null };
  const texts = Array.isArray(keys) ? keys.map((key) => scalarText(key as RowValue)?.trim() ?? '') : [];
  const position = texts.indexOf(text);
  if (position >= 0) return { kind: 'ok', value: position };
  const own = texts.join(', ').slice(0, 200);
  const message = `the label ${JSON.stringify(text.slice(0, 60))} is none of the row's own: ${own}`;
  return { kind: 'wrong', field, message };
}

const MAX_DEPTH = 4;

/**
 * The scalar fields of a row as text, nested ones under dotted names; null becomes "". Lists are left out. Every name
 * that occurs goes into `found`, lists and objects too. Objects named in `whole` are not entered: they are no fields
 * but one value, such as a map from option text to truth.
 */
function rowFields(row: RowObject, found: Set<string>, whole: ReadonlySet<string>): Record<string, string> {
  const fields: Record<string, string> = {};
  collect(row, { prefix: '', depth: 0 }, fields, { found, whole });
  return fields;
}

interface Names {
  readonly found: Set<string>;
  readonly whole: ReadonlySet<string>;
}

/** Where an object stands in its row: what its names begin with, and how many objects it lies in. */
interface Nesting {
  readonly prefix: string;
  readonly depth: number;
}

function collect(row: RowObject, { prefix, depth }: Nesting, fields: Record<string, string>, names: Names): void {
  for (const key of Object.keys(row)) {
    const value = row[key];
    if (value === undefined) continue;
    const name = prefix === '' ? key : `${prefix}.${key}`;
    if (names.found.size < 10_000) names.found.add(name);
    const text = scalarText(value);
    if (text !== undefined) setText(fields, name, text ?? '');
    else if (depth < MAX_DEPTH && isRowObject(value) && !names.whole.has(name)) {
      collect(value, { prefix: name, depth: depth + 1 }, fields, names);
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
