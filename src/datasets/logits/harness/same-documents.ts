import type { SeenHashes } from '../../../contract/seen-hashes.js';
import type { Fault } from '../../../errors/supportcal-error.js';
import { readRows } from '../../../formats/read-rows.js';
import { FaultList } from '../../../formats/row/fault-list.js';
import { eachRow } from '../../rows/each-row.js';
import type { LogSettings } from './harness.js';
import { type HarnessName, harnessNamed } from './harness-table.js';
import { harnessFile } from './open-harness-log.js';

/** A log to compare. */
export interface ComparedLog {
  readonly file: string;
  readonly format: HarnessName;
}

/**
 * Adds a fault for every row of a later log whose document or right answer is another one than in the first log, where
 * both say it, and gives sentences on prompts that differ: under a chat template they do.
 *
 * @throws SupportCalError missing-file
 */
export async function compareLogs(
  logs: readonly ComparedLog[],
  settings: LogSettings,
  faults: FaultList,
): Promise<string[]> {
  const notes: string[] = [];
  const unread: Fault[] = [];
  let first: SeenRows | undefined;
  for (const log of logs) {
    const read = { name: log.file, rows: await logDocuments(log, settings, unread) };
    if (first === undefined) first = read;
    else notes.push(...compareSeen(first, read, faults));
  }
  // Who has to look at the logs anyway hears all that is wrong with them.
  if (faults.count > 0) for (const fault of unread) faults.add(fault);
  return notes;
}

/** What the rows of one log or import are of. */
export interface SeenRows {
  /** File, or what else messages call it. */
  readonly name: string;
  /** By id, with the line. */
  readonly rows: ReadonlyMap<string, SeenHashes & { readonly line: number | undefined }>;
}

/** Rows that cannot be read are passed over, since the import of the file names them, and what is wrong is kept. */
async function logDocuments(
  { file, format }: ComparedLog,
  settings: LogSettings,
  unread: Fault[],
): Promise<SeenRows['rows']> {
  const { read } = harnessNamed(format).reader(settings);
  const documents = new Map<string, SeenHashes & { readonly line: number | undefined }>();
  const faults = new FaultList();
  await eachRow(readRows(harnessFile(file, format), faults), faults, (row) => {
    const reading = read(row);
    if (reading.kind === 'row') documents.set(reading.row.id, { ...reading.row.hashes, line: row.line });
    if (reading.kind === 'wrong')
      unread.push(...reading.faults.map((fault) => ({ file, line: row.line, number: row.number, ...fault })));
    return true;
  });
  return documents;
}

/**
 * Adds a fault for every row of `other` whose document or right answer is another one than in `first`, and gives
 * sentences on what else differs.
 */
export function compareSeen(first: SeenRows, other: SeenRows, faults: FaultList): string[] {
  let prompts = 0;
  let common = 0;
  for (const [id, hashes] of other.rows) {
    const own = first.rows.get(id);
    if (own === undefined) continue;
    common++;
    if (differ(own.prompt, hashes.prompt)) prompts++;
    const where = own.line === undefined ? first.name : `${first.name}:${own.line}`;
    for (const [field, hash, what] of COMPARED) {
      if (!differ(own[field], hashes[field])) continue;
      const message = `the ${what} is another one than in ${where}; log both models on the same version of the task`;
      faults.add({ file: other.name, line: hashes.line, field: hash, row: id, message });
    }
  }
  const [one, two] = [first.rows.size - common, other.rows.size - common];
  if (common === 0) {
    if (one > 0 && two > 0) faults.add({ file: other.name, message: `has no row in common with ${first.name}` });
    return [];
  }
  const why = 'as under a chat template or with other examples before them';
  return [
    ...(one + two > 0
      ? [`${one} rows of ${first.name} and ${two} of ${other.name} are not in the other; they do not count`]
      : []),
    ...(prompts > 0 ? [`${prompts} prompts of ${other.name} differ from those of ${first.name}, ${why}`] : []),
  ];
}

const COMPARED = [
  ['document', 'doc_hash', 'document'],
  ['target', 'target_hash', 'right answer'],
] as const;

function differ(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a !== b;
}
