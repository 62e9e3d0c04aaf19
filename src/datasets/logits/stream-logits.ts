import path from 'node:path';
import { FaultList } from '../formats/fault-list.js';
import { readRows } from '../formats/read-rows.js';
import { formatOf } from '../formats/source-format.js';
import { withoutGuards } from '../source/without-guards.js';
import type { LogitUnit } from './from-unit.js';
import { type ImportResult, importRow } from './import-row.js';
import { type LogitColumns, logitColumns } from './logit-columns.js';

/** One row of scores, or what is wrong with it and its number in the file. */
export type StreamedLogits = ImportResult & { readonly number: number };

/**
 * The rows of a file of option scores (see `readImportedLogits` for its forms) in groups as they are read, so that a file of
 * any length takes constant memory. A row that cannot be used comes as `wrong`; a repeated id is no fault here, nor are
 * log-probabilities of texts that sum to more than 1 (one may be the beginning of another).
 *
 * @throws SupportCalError missing-file; bad-input at the end, with the faults of everything that is no row at all
 */
export async function* streamLogits(file: string, unit: LogitUnit): AsyncGenerator<readonly StreamedLogits[]> {
  const faults = new FaultList();
  const source = { path: path.resolve(file), shown: file };
  const format = await formatOf(source);
  let columns: LogitColumns | undefined;
  let any = false;
  for await (const batch of readRows(source, format, faults, { allowNonFinite: true })) {
    any ||= batch.length > 0;
    yield batch.map((row) => {
      columns ??= format.startsWith('json') ? { kind: 'list' } : logitColumns(row.values, unit, file);
      return { ...importRow(withoutGuards(row, format), columns, unit, () => unit === 'logprobs'), number: row.number };
    });
  }
  if (!any && faults.count === 0) faults.add({ file, message: 'has no rows' });
  faults.throwIfAny();
}
