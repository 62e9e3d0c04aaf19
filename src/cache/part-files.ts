import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../files/write-file-atomic.js';
import { decodeTable, encodeTable } from './encode-table.js';
import type { ScoreTable } from './score-table.js';

/** `<sequence>-<rows>-<first 32 digits of the sha256>.arrow`: a part carries its own checksum and row count in its name. */
const PART_NAME = /^(\d{6,})-(\d+)-([0-9a-f]{32})\.arrow$/;

export interface PartName {
  readonly fileName: string;
  readonly sequence: number;
  readonly rows: number;
  readonly checksum: string;
}

export interface ReadParts {
  readonly tables: readonly ScoreTable[];
  /** Files that are cut or changed, with the reason; they hold nothing that can be used. */
  readonly damaged: ReadonlyArray<{ readonly file: string; readonly reason: string }>;
  readonly nextSequence: number;
}

/** Writes one durable part: its rows are on disk when the promise resolves. */
export async function writePart(folder: string, sequence: number, table: ScoreTable): Promise<void> {
  const bytes = encodeTable(table, 'float32');
  const name = `${String(sequence).padStart(6, '0')}-${table.ids.length}-${partChecksum(bytes)}.arrow`;
  await writeFileAtomic(join(folder, name), bytes);
}

/** Names of the parts in a folder, in the order they were written; none when there is no folder. */
export async function listParts(folder: string): Promise<readonly PartName[]> {
  const fileNames = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return fileNames
    .flatMap((fileName) => {
      const match = PART_NAME.exec(fileName);
      return match === null
        ? []
        : [{ fileName, sequence: Number(match[1]), rows: Number(match[2]), checksum: match[3]! }];
    })
    .sort((a, b) => a.sequence - b.sequence || (a.fileName < b.fileName ? -1 : 1));
}

/** Reads and verifies every part. */
export async function readParts(folder: string): Promise<ReadParts> {
  const tables: ScoreTable[] = [];
  const damaged: { file: string; reason: string }[] = [];
  const parts = await listParts(folder);
  for (const part of parts) {
    const file = join(folder, part.fileName);
    try {
      tables.push(verifiedPart(part, await readFile(file)));
    } catch (error) {
      // Gone since it was listed: the process that holds the entry has just completed it.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      damaged.push({ file, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { tables, damaged, nextSequence: (parts.at(-1)?.sequence ?? 0) + 1 };
}

/** Removes the parts that cannot be used, and what killed writers left. */
export async function sweepParts(folder: string, damaged: ReadParts['damaged']): Promise<void> {
  for (const { file } of damaged) await rm(file, { force: true });
  const fileNames = await readdir(folder).catch(() => []);
  for (const fileName of fileNames.filter((name) => name.endsWith('.tmp')))
    await rm(join(folder, fileName), { force: true });
}

function verifiedPart(part: PartName, bytes: Uint8Array): ScoreTable {
  if (partChecksum(bytes) !== part.checksum) throw new Error('the part does not match its checksum');
  const table = decodeTable(bytes);
  if (table.ids.length !== part.rows) throw new Error(`the part holds ${table.ids.length} rows, not ${part.rows}`);
  return table;
}

function partChecksum(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}
