import type { SourceRow } from '../../formats/row/source-row.js';
import { rowDecoder } from '../fields/decode-fields.js';
import type { RowCounts } from '../fields/missing-fields.js';
import { type DraftContext, type DraftRow, draftRow } from './draft-row.js';
import { eachRow } from './each-row.js';
import { rowFilter } from './row-filter.js';

/** Decodes, filters and maps the rows of a source up to its limit. */
export async function draftRows(context: DraftContext): Promise<{ drafts: DraftRow[]; counts: RowCounts }> {
  const { spec } = context;
  const limit = (typeof spec.yaml.source === 'object' ? spec.yaml.source.limit : undefined) ?? Infinity;
  const keep = rowFilter(spec);
  const decode = rowDecoder(spec.yaml.decode);
  const drafts: DraftRow[] = [];
  const counts = { read: 0, kept: 0 };
  const undecodable = (field: string, row: SourceRow) => context.missing.add(field, row, ['decode', field]);
  await eachRow(context.source.batches, context.faults, (raw) => {
    if (counts.kept >= limit) return false;
    counts.read++;
    const row = decode === null ? raw : { ...raw, values: decode(raw.values, (field) => undecodable(field, raw)) };
    if (keep !== null && !keep(row, context)) return true;
    counts.kept++;
    const draft = draftRow(row, context);
    if (draft !== null) drafts.push(draft);
    return true;
  });
  return { drafts, counts };
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
