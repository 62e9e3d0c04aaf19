import { isRowObject, kindOf, type RowObject, type RowValue, type SourceRow, setField } from '../row/source-row.js';
import { JsonFault } from './parse-json.js';

/** The field in which the key of a row is, where rows are laid out under a key each. */
export const KEY_FIELD = '_key';

/**
 * The rows of a JSON value that is no list of them. `columns`: one list per field, or one object from row to cell, as
 * pandas writes them. `keyed`: an object from a key to each row; the key becomes the field `_key`.
 *
 * @throws JsonFault the value has another layout, or columns of different lengths
 */
export function laidOutRows(value: RowValue, layout: 'columns' | 'keyed', offset: number): SourceRow[] {
  if (!isRowObject(value)) {
    const found = kindOf(value) ?? JSON.stringify(value);
    throw new JsonFault(`\`layout: ${layout}\` is for an object, found ${found}`, offset);
  }
  const rows = layout === 'columns' ? fromColumns(value, offset) : fromKeys(value, offset);
  return rows.map((values, n) => ({ values, number: n + 1, line: undefined }));
}

function fromColumns(columns: RowObject, offset: number): RowObject[] {
  const lists = Object.entries(columns).map(([field, cells]) => [field, cellsOf(field, cells, offset)] as const);
  const [first] = lists;
  const names = [...(first?.[1].keys() ?? [])];
  for (const [field, cells] of lists) {
    const missing = names.find((name) => !cells.has(name));
    if (missing === undefined && cells.size === names.length) continue;
    const where = `"${field}" has ${cells.size} cells and "${first?.[0]}" has ${names.length}`;
    throw new JsonFault(`the columns do not hold the same rows: ${where}`, offset);
  }
  return names.map((name) => {
    const row: Record<string, RowValue> = {};
    for (const [field, cells] of lists) setField(row, field, cells.get(name) ?? null);
    return row;
  });
}

/** The cells of a column by the name of their row: its position, or what pandas calls it. */
function cellsOf(field: string, cells: RowValue, offset: number): ReadonlyMap<string, RowValue> {
  if (Array.isArray(cells)) return new Map((cells as readonly RowValue[]).map((cell, n) => [`${n}`, cell]));
  if (isRowObject(cells)) return new Map(Object.entries(cells));
  throw new JsonFault(`the column "${field}" is ${kindOf(cells) ?? JSON.stringify(cells)}; expected a list`, offset);
}

function fromKeys(rows: RowObject, offset: number): RowObject[] {
  return Object.entries(rows).map(([key, row]) => {
    if (!isRowObject(row)) throw new JsonFault(`what stands under "${key}" is no row; expected an object`, offset);
    return { ...row, [KEY_FIELD]: key };
  });
}
