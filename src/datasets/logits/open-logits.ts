import path from 'node:path';
import { EXPORT_MARK, undefuse } from '../../files/csv-cell.js';
import { csv } from '../../formats/csv.js';
import type { Format } from '../../formats/format.js';
import { formatOf } from '../../formats/format-of.js';
import { type RowFile, readRows } from '../../formats/read-rows.js';
import { FaultList } from '../../formats/row/fault-list.js';
import type { SourceFile, SourceRow } from '../../formats/row/source-row.js';
import type { LogitUnit } from './from-unit.js';
import { type HarnessLog, harnessFile, openHarnessLog } from './harness/open-harness-log.js';
import { importRow } from './import-row.js';
import { type LogitColumns, logitColumns } from './logit-columns.js';
import type { OpenedLogits } from './opened-logits.js';

/** What is said of a file of option scores. */
export interface LogitOptions {
  readonly unit: LogitUnit;
  /** Take the numbers as declared, though they look like another unit; default: refuse them. */
  readonly trustUnit?: boolean;
  /** Whether a row has K lists, of K orders of its options, in place of one. */
  readonly rotations?: boolean;
  /** Whether the options of a row may sum to more than 1, see `fromUnit`; default: in no row. */
  readonly overlaps?: ((id: string) => boolean) | undefined;
  /** A row without an id takes its number in the file; default: it is wrong. */
  readonly numbered?: boolean;
  /** The file is a log of another harness, which has no `overlaps` and no `rotations` to be said. */
  readonly log?: HarnessLog | undefined;
}

/** @param file path as the user wrote it, relative to the working directory; or what is read in place of a file */
export async function openLogits(
  file: string | SourceFile,
  { unit, rotations, overlaps, log, numbered = false }: LogitOptions,
): Promise<OpenedLogits> {
  if (log !== undefined && typeof file === 'string') return openHarnessLog(file, log);
  const source = await logitFile(file);
  const { shown } = source.file;
  const faults = new FaultList();
  let columns: LogitColumns | undefined;
  const columnsOf = ({ values }: SourceRow): LogitColumns => {
    if (rotations) return { kind: 'rotations' };
    return source.format.hasColumns ? logitColumns(values, unit, shown) : { kind: 'list' };
  };
  return {
    batches: readRows(source, faults),
    faults,
    take(row) {
      columns ??= columnsOf(row);
      return importRow(withoutGuards(row, source.format), columns, { unit, overlaps, numbered });
    },
  };
}

/** A file of scores as it is read: numbers that are not finite are no fault of it. */
export async function logitFile(file: string | SourceFile, log?: HarnessLog): Promise<RowFile> {
  if (log !== undefined && typeof file === 'string') return harnessFile(file, log.format);
  const source = typeof file === 'string' ? { path: path.resolve(file), shown: file } : file;
  return { file: source, format: await formatOf(source), options: { allowNonFinite: true } };
}

/**
 * A CSV that `supportcal export` wrote has an apostrophe before ids that a spreadsheet would run: the row without it.
 */
function withoutGuards(row: SourceRow, format: Format): SourceRow {
  const { id } = row.values;
  if (format !== csv || typeof id !== 'string' || !Object.hasOwn(row.values, EXPORT_MARK)) return row;
  return { ...row, values: { ...row.values, id: undefuse(id) } };
}
