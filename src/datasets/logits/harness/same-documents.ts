import { readRows } from '../../../formats/read-rows.js';
import { FaultList } from '../../../formats/row/fault-list.js';
import { eachRow } from '../../rows/each-row.js';
import type { LogHashes, LogSettings } from './harness.js';
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
  let first: ReadLog | undefined;
  for (const log of logs) {
    const read = { ...log, documents: await logDocuments(log, settings) };
    if (first === undefined) {
      first = read;
      continue;
    }
    const { prompts, common } = compareDocuments(first, read, faults);
    const [one, other] = [first.documents.size - common, read.documents.size - common];
    if (common > 0 && one + other > 0)
      notes.push(`${one} rows of ${first.file} and ${other} of ${read.file} are not in the other; they do not count`);
    if (prompts === 0) continue;
    const why = 'as under a chat template or with other examples before them';
    notes.push(`${prompts} prompts of ${read.file} differ from those of ${first.file}, ${why}`);
  }
  return notes;
}

/** The hashes of every row of a log that could be read, by id, with its line. */
type LogDocuments = ReadonlyMap<string, LogHashes & { readonly line: number | undefined }>;

interface ReadLog extends ComparedLog {
  readonly documents: LogDocuments;
}

/** Rows that cannot be read are passed over: the import of the file names them. */
async function logDocuments({ file, format }: ComparedLog, settings: LogSettings): Promise<LogDocuments> {
  const { read } = harnessNamed(format).reader(settings);
  const documents = new Map<string, LogHashes & { readonly line: number | undefined }>();
  const faults = new FaultList();
  await eachRow(readRows(harnessFile(file, format), faults), faults, (row) => {
    const reading = read(row);
    if (reading.kind === 'row') documents.set(reading.row.id, { ...reading.row.hashes, line: row.line });
    return true;
  });
  return documents;
}

function compareDocuments(first: ReadLog, others: ReadLog, faults: FaultList): { prompts: number; common: number } {
  let prompts = 0;
  let common = 0;
  for (const [id, hashes] of others.documents) {
    const own = first.documents.get(id);
    if (own === undefined) continue;
    common++;
    if (differ(own.prompt, hashes.prompt)) prompts++;
    for (const [field, what] of [
      ['document', 'document'],
      ['target', 'right answer'],
    ] as const) {
      if (!differ(own[field], hashes[field])) continue;
      const where = own.line === undefined ? first.file : `${first.file}:${own.line}`;
      const message = `the ${what} is another one than in ${where}; log both models on the same version of the task`;
      faults.add({
        file: others.file,
        line: hashes.line,
        field: field === 'document' ? 'doc_hash' : 'target_hash',
        row: id,
        message,
      });
    }
  }
  if (common === 0 && first.documents.size > 0 && others.documents.size > 0)
    faults.add({ file: others.file, message: `has no row in common with ${first.file}` });
  return { prompts, common };
}

function differ(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a !== b;
}
