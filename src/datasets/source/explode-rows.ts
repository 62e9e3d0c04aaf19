import { listInText } from '../../formats/json/list-in-text.js';
import type { FaultList } from '../../formats/row/fault-list.js';
import {
  fieldOf,
  isRowObject,
  kindOf,
  type RowBatches,
  type RowObject,
  type RowValue,
  type SourceRow,
  setField,
} from '../../formats/row/source-row.js';

/** Rows, and the file that a fault in a given field should name. */
interface Rows {
  readonly batches: RowBatches;
  readonly fileOf: (field: string, row: SourceRow) => string;
}

/** The field with the number of the element, from 1, that a row was made of. */
export const PART_FIELD = '_part';

/**
 * One row for each element of the list in a field, which then holds that element; every list on the way of a dotted
 * name is taken apart. Several fields must hold lists of one length, whose elements go together. A row whose lists are
 * not there is a fault.
 */
export async function* explodeRows(
  { batches, fileOf }: Rows,
  fields: readonly string[],
  faults: FaultList,
): RowBatches {
  for await (const batch of batches) {
    const exploded = batch.flatMap((row) => {
      const parts = explode(row.values, fields);
      if (!('fault' in parts))
        return parts.map((values, n) => ({ ...row, values: { ...values, [PART_FIELD]: n + 1 } }));
      faults.add(faultOf(row, parts, fileOf(parts.field, row)));
      return [];
    });
    if (exploded.length > 0) yield exploded;
  }
}

interface Refused {
  readonly field: string;
  readonly fault: string;
}

function faultOf({ number, line }: SourceRow, { field, fault }: Refused, file: string) {
  return { file, line, field, row: `${number}`, number, message: fault };
}

function explode(values: RowObject, fields: readonly string[]): readonly RowObject[] | Refused {
  const [field = '', ...others] = fields;
  if (others.length > 0) return explodeTogether(values, fields);
  const parts = explodePath(values, Object.hasOwn(values, field) ? [field] : field.split('.'));
  return Array.isArray(parts) ? parts : { field, fault: parts as string };
}

/** @returns the rows, or what is wrong */
function explodePath(values: RowObject, [step = '', ...rest]: readonly string[]): RowObject[] | string {
  const value = listOf(Object.hasOwn(values, step) ? values[step] : undefined);
  if (value === undefined) return `the field "${step}" is missing, whose list \`explode\` takes apart`;
  if (!Array.isArray(value) && (rest.length === 0 || !isRowObject(value)))
    return `expected a list in "${step}" for \`explode\`, found ${kindOf(value) ?? JSON.stringify(value)}`;
  const items: readonly RowValue[] = Array.isArray(value) ? value : [value];
  const rows: RowObject[] = [];
  for (const item of items) {
    const inner =
      rest.length === 0 ? [item] : isRowObject(item) ? explodePath(item, rest) : `"${step}" holds no objects`;
    if (typeof inner === 'string') return inner;
    rows.push(...inner.map((each) => withField(values, step, each)));
  }
  return rows;
}

function explodeTogether(values: RowObject, fields: readonly string[]): readonly RowObject[] | Refused {
  const lists: (readonly RowValue[])[] = [];
  for (const field of fields) {
    const value = listOf(fieldOf(values, field));
    if (value === undefined)
      return { field, fault: `the field "${field}" is missing, whose list \`explode\` takes apart` };
    if (!Array.isArray(value))
      return { field, fault: `expected a list for \`explode\`, found ${kindOf(value) ?? value}` };
    const [first] = lists;
    if (first !== undefined && first.length !== value.length)
      return {
        field,
        fault: `has ${value.length} elements, "${fields[0]}" has ${first.length}; they must go together`,
      };
    lists.push(value);
  }
  return (lists[0] ?? []).map((_, n) =>
    fields.reduce((row: RowObject, field, f) => withPath(row, field, lists[f]?.[n] ?? null), values),
  );
}

/** A value, or the list that a text is: a cell of a csv file has no other way to hold one. */
function listOf(value: RowValue | undefined): RowValue | undefined {
  return typeof value === 'string' ? listInText(value) : value;
}

function withPath(values: RowObject, field: string, value: RowValue): RowObject {
  const [step = '', ...rest] = Object.hasOwn(values, field) ? [field] : field.split('.');
  const inner = values[step];
  return withField(
    values,
    step,
    rest.length > 0 && isRowObject(inner) ? withPath(inner, rest.join('.'), value) : value,
  );
}

function withField(values: RowObject, field: string, value: RowValue): RowObject {
  const copy: Record<string, RowValue> = {};
  for (const [name, own] of Object.entries(values)) setField(copy, name, name === field ? value : own);
  return copy;
}
