import type { ScoredRow } from '../../contract/scored-row.js';
import type { SeenHashes } from '../../contract/seen-hashes.js';
import { type Fault, SupportCalError } from '../../errors/supportcal-error.js';
import { placeFaults } from '../../formats/place-faults.js';
import type { FaultList } from '../../formats/row/fault-list.js';
import { eachRow } from '../rows/each-row.js';
import type { LogitUnit } from './from-unit.js';
import type { HarnessLog } from './harness/open-harness-log.js';
import type { ImportedRow } from './import-row.js';
import { type LogitOptions, logitFile, openLogits } from './open-logits.js';
import { UnitLooks } from './unit-looks.js';

/** Option scores that another program computed; `labels`, `groups` and `lines` go along with `rows`. */
export interface ImportedLogits {
  /** In the order of the file. Logits are float64 in the natural-log domain; a row with a non-finite one has failed. */
  readonly rows: readonly ScoredRow[];
  /** 0-based labels, null where the file has none. */
  readonly labels: ReadonlyArray<number | null>;
  /** Groups that stay on one side of a split, null where the file has none. */
  readonly groups: ReadonlyArray<string | null>;
  /** What the rows are of, where the file is a log of another harness; null elsewhere. */
  readonly hashes: ReadonlyArray<SeenHashes | null>;
  /** 1-based lines, undefined for formats without lines. */
  readonly lines: ReadonlyArray<number | undefined>;
  /** What was taken of a log of another harness and what was not, as sentences; none for other files. */
  readonly notes: readonly string[];
}

export type { LogitUnit };

/**
 * Reads `{id, logits, label?, group?}` rows: JSON Lines, a JSON array, CSV or TSV (logits as numbered columns
 * `logit_0`, `logit_1`, ... or as a JSON list in one column), Parquet or Arrow (list column or numbered columns).
 *
 * With `rotations` a row has `rotations` in place of `logits`: K lists of K scores, list r of the r-th cyclic order of
 * the options, each in the original order of the options.
 *
 * A number that is no score (NaN, Infinity, null) fails its row alone. What makes a file wrong as a whole (no id, a
 * repeated id, K < 2, a label out of range, values that cannot be of `unit` or are of another by their looks, no usable
 * row at all) is thrown together.
 *
 * @param file path as the user wrote it, relative to the working directory
 * @throws SupportCalError missing-file, bad-input
 */
export async function readImportedLogits(file: string, options: LogitOptions): Promise<ImportedLogits> {
  const { batches, faults, take, notes } = await openLogits(file, options);
  const imported: ImportedRow[] = [];
  const seen = new Map<string, ImportedRow>();
  let count = 0;
  await eachRow(batches, faults, (row) => {
    count++;
    const result = take(row);
    if (result.kind === 'left-out') return true;
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
  if (imported.length === 0 && count > 0 && faults.count === 0) faults.add({ file, message: noneTaken(options.log) });
  if (count === 0 && faults.count === 0) faults.add({ file, message: 'has no rows' });
  if (faults.count === 0) addFaultsOfWhole(imported, options, file, faults);
  await refuseImported(faults, file, options.log);
  return {
    rows: imported.map((row) => row.scored),
    labels: imported.map((row) => row.label),
    groups: imported.map((row) => row.group),
    hashes: imported.map((row) => row.hashes ?? null),
    lines: imported.map((row) => row.line),
    notes: notes?.() ?? [],
  };
}

/** What is wrong with the rows taken together: none is usable, or they are not of the declared unit. */
function addFaultsOfWhole(
  rows: readonly ImportedRow[],
  { unit, rotations = false, log, trustUnit = log !== undefined }: LogitOptions,
  file: string,
  faults: FaultList,
): void {
  const looks = new UnitLooks(unit);
  let usable = 0;
  for (const { scored } of rows) {
    if (scored.status !== 'ok') continue;
    usable++;
    const scores = Array.from(scored.logits);
    const size = rotations ? Math.sqrt(scores.length) : scores.length;
    for (let start = 0; start < scores.length; start += size) looks.add(scores.slice(start, start + size));
  }
  const [first] = rows;
  if (usable === 0 && first?.scored.status === 'failed') {
    const { id, reason } = first.scored;
    faults.add({ file, line: first.line, row: id, message: `no row has usable logits; of the first one, ${reason}` });
  }
  const message = trustUnit ? null : looks.contradiction();
  if (message !== null) faults.add({ file, field: rotations ? 'rotations' : 'logits', message });
}

/** Throws what was found in a file of scores, if anything was, each fault with its column. */
export async function refuseImported(faults: FaultList, file: string, log?: HarnessLog): Promise<void> {
  if (faults.count === 0) return;
  throw new SupportCalError('bad-input', await placeFaults(faults.list, [await logitFile(file, log)]));
}

function noneTaken(log: HarnessLog | undefined): string {
  return `has no row of the filter ${JSON.stringify(log?.filter)}`;
}

function repeatedId(file: string, row: ImportedRow, first: ImportedRow): Fault {
  const { id } = row.scored;
  const where = first.line === undefined ? `row ${first.number}` : `line ${first.line}`;
  const message = `the id "${id}" is already used on ${where}; ids must be unique`;
  return { file, line: row.line, field: 'id', row: id, number: row.number, message };
}
