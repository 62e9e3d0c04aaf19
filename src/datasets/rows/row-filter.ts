import type { FilterYaml } from '../../config/source-schema.js';
import { fieldOf, type SourceRow, scalarText } from '../../formats/row/source-row.js';
import type { DatasetSpec } from '../example/dataset-spec.js';
import type { DraftContext } from './draft-row.js';

const MAX_FOUND = 10_000;

/** Whether a row stays; a field that it lacks goes to `missing`. */
export type RowFilter = (row: SourceRow, context: Pick<DraftContext, 'missing' | 'found'>) => boolean;

/** The filters of a source as one: all must hold. Values are compared as exact text, null with nothing. */
export function rowFilter({ yaml: { source } }: DatasetSpec): RowFilter | null {
  const filter = typeof source === 'object' ? source.filter : undefined;
  if (filter === undefined) return null;
  const filters = (Array.isArray(filter) ? filter : [filter]).map((each, n) => ({
    field: each.field,
    values: wantedValues(each),
    yamlPath: ['source', 'filter', ...(Array.isArray(filter) ? [n] : []), 'field'],
  }));
  return (row, { missing, found }) =>
    filters.every(({ field, values, yamlPath }) => {
      const value = fieldOf(row.values, field);
      if (value === undefined) {
        missing.add(field, row, yamlPath);
        for (const name of Object.keys(row.values)) if (found.size < MAX_FOUND) found.add(name);
      }
      const text = value === undefined ? undefined : scalarText(value);
      return typeof text === 'string' && values.has(text);
    });
}

function wantedValues({ equals, in: list }: FilterYaml): Set<string> {
  return new Set((list ?? [equals!]).map(String));
}
