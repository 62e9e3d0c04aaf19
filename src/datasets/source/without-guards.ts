import { EXPORT_MARK, undefuse } from '../../files/csv-cell.js';
import type { SourceFormat } from '../formats/source-format.js';
import type { SourceRow } from '../formats/source-row.js';

/** A CSV that `supportcal export` wrote has an apostrophe before ids that a spreadsheet would run: the row without it. */
export function withoutGuards(row: SourceRow, format: SourceFormat): SourceRow {
  const { id } = row.values;
  if (format !== 'csv' || typeof id !== 'string' || !Object.hasOwn(row.values, EXPORT_MARK)) return row;
  return { ...row, values: { ...row.values, id: undefuse(id) } };
}
