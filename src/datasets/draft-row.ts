import { contentHash } from './content-hash.js';
import type { FaultList } from './fault-list.js';
import type { FieldMapping } from './field-mapping.js';
import type { MissingFields } from './missing-fields.js';
import type { RowSource } from './open-source.js';
import { rowFields } from './row-fields.js';
import { rowId } from './row-id.js';
import { rowOptions } from './row-options.js';
import { fieldOf, type RowValue, type SourceRow } from './source-row.js';

/** A row whose fields are mapped but whose label is still as the file has it. */
export interface DraftRow {
  /** null: to become the content hash. */
  id: string | null;
  readonly fields: Readonly<Record<string, string>>;
  readonly options: readonly string[];
  readonly label: RowValue;
  readonly contentHash: string;
  readonly number: number;
  readonly line: number | undefined;
  readonly file: string | undefined;
}

/** What mapping a row needs to know and where it reports to. */
export interface DraftContext {
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

export function leaveOutFields({ idFields, label, options }: FieldMapping): Set<string> {
  const optionFields = options.kind === 'list' ? [options.field] : options.kind === 'columns' ? options.columns : [];
  return new Set([...idFields, ...(label === null ? [] : [label.field]), ...optionFields]);
}

/** Maps the fields of one row; null when it cannot be used, which is then in `faults` or `missing`. */
export function draftRow(row: SourceRow, context: DraftContext): DraftRow | null {
  const { mapping, missing, faults, source } = context;
  const fields = rowFields(row.values, context.found);
  let usable = true;
  for (const [field, yamlPath] of context.promptFields) {
    if (Object.hasOwn(fields, field)) continue;
    missing.add(field, row, yamlPath);
    usable = false;
  }
  const id = mapping.idFields.length === 0 ? null : rowId(row, mapping.idFields);
  const options = rowOptions(row, mapping.options);
  for (const [part, yamlPath] of [
    [id, ['fields', 'id']],
    [options, ['fields', 'options']],
  ] as const) {
    if (part === null || part.kind === 'ok') continue;
    usable = false;
    if (part.kind === 'missing') missing.add(part.field, row, yamlPath);
    else {
      const name = id?.kind === 'ok' ? id.id : `${row.number}`;
      faults.add({
        file: source.fileOf(part.field, row),
        line: row.line,
        field: part.field,
        row: name,
        message: part.message,
      });
    }
  }
  const label = mapping.label === null ? null : fieldOf(row.values, mapping.label.field);
  if (label === undefined) missing.add(mapping.label!.field, row, mapping.label!.yamlPath);
  if (!usable || label === undefined || options.kind !== 'ok') return null;
  return {
    id: id?.kind === 'ok' ? id.id : null,
    fields,
    options: options.options,
    label,
    contentHash: contentHash(fields, options.options, context.leaveOut),
    number: row.number,
    line: row.line,
    file: row.file,
  };
}
