import path from 'node:path';
import type { ScoredRow } from '../../contract/scored-row.js';
import { type Fault, SupportCalError } from '../../errors/supportcal-error.js';
import { FaultList } from '../formats/fault-list.js';
import { csvOf, readRows } from '../formats/read-rows.js';
import { formatOf } from '../formats/source-format.js';
import type { RowObject } from '../formats/source-row.js';
import { eachRow } from '../rows/each-row.js';
import { withColumns } from '../source/with-columns.js';
import { withoutGuards } from '../source/without-guards.js';
import type { LogitUnit } from './from-unit.js';
import { type ImportedRow, importRow } from './import-row.js';
import { type LogitColumns, logitColumns } from './logit-columns.js';

/** Option scores that another program computed; `labels` and `lines` go along with `rows`. */
export interface ImportedLogits {
  /** In the order of the file. Logits are float64 in the natural-log domain; a row with a non-finite one has failed. */
  readonly rows: readonly ScoredRow[];
  /** 0-based labels, null where the file has none. */
  readonly labels: ReadonlyArray<number | null>;
  /** 1-based lines, undefined for formats without lines. */
  readonly lines: ReadonlyArray<number | undefined>;
}

export type { LogitUnit };

/**
 * Reads `{id, logits, label?}` rows: JSON Lines, a JSON array, CSV or TSV (logits as numbered columns `logit_0`,
 * `logit_1`, ... or as a JSON list in one column), Parquet or Arrow (list column or numbered columns).
 *
 * With `rotations` a row has `rotations` in place of `logits`: K lists of K scores, list r of the r-th cyclic order of the
 * options, each in the original order of the options.
 *
 * A number that is not finite (NaN, Infinity, null, probability 0) fails its row alone. What makes a file wrong as a
 * whole (no id, a repeated id, K < 2, a label out of range, values that cannot be of `unit`) is thrown together.
 *
 * @param file path as the user wrote it, relative to the working directory
 * @throws SupportCalError missing-file, bad-input
 */
export async function readImportedLogits(
  file: string,
  options: {
    readonly unit: LogitUnit;
    readonly rotations?: boolean;
    /** Whether the options of a row may sum to more than 1, see `fromUnit`; default: in no row. */
    readonly overlaps?: ((id: string) => boolean) | undefined;
  },
): Promise<ImportedLogits> {
  const faults = new FaultList();
  const source = { path: path.resolve(file), shown: file };
  const imported: ImportedRow[] = [];
  const seen = new Map<string, ImportedRow>();
  let columns: LogitColumns | undefined;
  let count = 0;
  const format = await formatOf(source);
  await eachRow(readRows(source, format, faults, { allowNonFinite: true }), faults, (row) => {
    count++;
    columns ??= columnsOf(row.values, format, options, file);
    const result = importRow(withoutGuards(row, format), columns, options.unit, options.overlaps);
    if (result.kind === 'wrong') {
      for (const fault of result.faults) faults.add({ file, line: row.line, number: row.number, ...fault });
      return true;
    }
    const first = seen.get(result.row.scored.id);
    if (first !== undefined) faults.add(repeatedId(file, result.row, first));
    seen.set(result.row.scored.id, first ?? result.row);
    imported.push(result.row);
    return true;
  });
  if (count === 0 && faults.count === 0) faults.add({ file, message: 'has no rows' });
  await refuseImported(faults, file);
  return {
    rows: imported.map((row) => row.scored),
    labels: imported.map((row) => row.label),
    lines: imported.map((row) => row.line),
  };
}

/** Throws what was found in a file of scores, if anything was, each fault with its column. */
export async function refuseImported(faults: FaultList, file: string): Promise<void> {
  if (faults.count === 0) return;
  const source = { path: path.resolve(file), shown: file };
  const format = await formatOf(source);
  throw new SupportCalError(
    'bad-input',
    await withColumns(faults.list, [{ file: source, format, csv: csvOf(format, {}) }]),
  );
}

function columnsOf(
  row: RowObject,
  format: string,
  { unit, rotations = false }: { readonly unit: LogitUnit; readonly rotations?: boolean },
  file: string,
): LogitColumns {
  if (rotations) return { kind: 'rotations' };
  return format.startsWith('json') ? { kind: 'list' } : logitColumns(row, unit, file);
}

function repeatedId(file: string, row: ImportedRow, first: ImportedRow): Fault {
  const { id } = row.scored;
  const where = first.line === undefined ? `row ${first.number}` : `line ${first.line}`;
  const message = `the id "${id}" is already used on ${where}; ids must be unique`;
  return { file, line: row.line, field: 'id', row: id, number: row.number, message };
}
