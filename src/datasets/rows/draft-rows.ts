import type { FilterYaml } from '../../config/source-schema.js';
import { fieldOf, type SourceRow, scalarText } from '../../formats/row/source-row.js';
import type { DatasetSpec } from '../example/dataset-spec.js';
import type { RowSelection } from '../example/row-selection.js';
import { rowDecoder } from '../fields/decode-fields.js';
import type { RowCounts } from '../fields/missing-fields.js';
import { type DraftContext, type DraftRow, draftRow } from './draft-row.js';
import { eachRow } from './each-row.js';
import { textBudget } from './text-budget.js';

/**
 * Decodes, filters and maps the rows of a source up to its limit.
 *
 * @param mostText bytes of text that they may hold; for tests
 */
export async function draftRows(
  context: DraftContext,
  mostText?: number,
): Promise<{ drafts: DraftRow[]; counts: RowCounts }> {
  const { spec } = context;
  const limit = (typeof spec.yaml.source === 'object' ? spec.yaml.source.limit : undefined) ?? Infinity;
  const keep = rowFilter(spec);
  const decode = rowDecoder(spec.yaml.decode);
  const drafts: DraftRow[] = [];
  const exhausted = textBudget(mostText);
  const counts = { read: 0, kept: 0, cut: false };
  const undecodable = (field: string, row: SourceRow) => context.missing.add(field, row, ['decode', field]);
  await eachRow(context.source.batches, context.faults, (raw) => {
    if (counts.kept >= limit) {
      counts.cut = true;
      return false;
    }
    counts.read++;
    const row = decode === null ? raw : { ...raw, values: decode(raw.values, (field) => undecodable(field, raw)) };
    if (keep !== null && !keep(row, context)) return true;
    counts.kept++;
    const fault = exhausted(row);
    if (fault !== null) {
      const { file = context.source.fileOf(), line, number } = raw;
      context.faults.addLast({ file, line, number, ...fault });
      return false;
    }
    const draft = draftRow(row, context);
    if (draft !== null) drafts.push(draft);
    return true;
  });
  return { drafts, counts };
}

/** What the source's filter and limit chose. */
export function sourceSelection({ yaml: { source } }: DatasetSpec, { read, kept, cut }: RowCounts): RowSelection[] {
  const { filter } = typeof source === 'object' ? source : {};
  return [
    ...(filter === undefined ? [] : [{ by: 'source.filter' as const, kept, of: read }]),
    ...(cut ? [{ by: 'source.limit' as const, kept, of: null }] : []),
  ];
}

/** A source without rows, or with none that the filter keeps, is a fault. */
export function refuseNothing({ spec, source, faults }: DraftContext, { read, kept }: RowCounts): void {
  if (faults.count > 0 || kept > 0) return;
  if (read === 0) faults.add({ file: source.fileOf(), message: 'has no rows' });
  else {
    const path = ['source', 'filter'];
    const message = `none of the ${read} rows passes the filter; compare its values with those of the file`;
    faults.add({ file: spec.file, ...spec.locate(path), field: path.join('.'), message });
  }
}

const MAX_FOUND = 10_000;

/** Whether a row stays; a field that it lacks goes to `missing`. */
type RowFilter = (row: SourceRow, context: Pick<DraftContext, 'missing' | 'found'>) => boolean;

/** The filters of a source as one: all must hold. Values are compared as exact text, null with nothing. */
function rowFilter({ yaml: { source } }: DatasetSpec): RowFilter | null {
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
  return new Set((list ?? (equals === undefined ? [] : [equals])).map(String));
}
