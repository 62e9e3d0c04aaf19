import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { notThere } from '../../errors/not-there.js';
import { removeFile } from '../../files/busy-files.js';
import { contentHash } from '../../files/content-hash.js';
import { type StagedFile, stageFile, writeFileAtomic } from '../../files/write-file-atomic.js';
import { decodeTable, encodeTable } from '../table/encode-table.js';
import type { ScoreTable } from '../table/score-table.js';
import { foreignVersion } from './part-key.js';

/**
 * `<sequence>-<rows>-<first 32 digits of a sha256>.arrow`: a part carries its own checksum and row count in its name.
 * The name of the folder is under the checksum too, so that a part of another entry counts as damage here.
 */
const PART_NAME = /^(\d{6,})-(\d+)-([0-9a-f]{32})\.arrow$/;

/** A part that is written but not flushed. It counts when it is whole: a kill may have come just then. */
const STAGED_NAME = /^\.(\d{6,}-\d+-[0-9a-f]{32}\.arrow)\.\d+-[0-9a-f]{12}\.tmp$/;

export interface PartName {
  readonly fileName: string;
  readonly sequence: number;
  readonly rows: number;
  readonly checksum: string;
}

/** What was read of every part of a folder. */
export interface ReadEach<Part> {
  readonly tables: readonly Part[];
  /** Files that are cut or changed, with the reason; they hold nothing that can be used. */
  readonly damaged: ReadonlyArray<{ readonly file: string; readonly reason: string }>;
  readonly nextSequence: number;
}

/**
 * Writes one part. Its rows outlive this process when the promise resolves, since readers find them under the temporary
 * name too, and a power cut when `commit` has resolved.
 */
export async function writePart(folder: string, sequence: number, table: ScoreTable): Promise<StagedFile> {
  const bytes = encodeTable(table, 'float32');
  const name = `${String(sequence).padStart(6, '0')}-${table.ids.length}-${partChecksum(folder, bytes)}.arrow`;
  return stageFile(join(folder, name), bytes);
}

/** Names of the parts in a folder, in the order they were written; none when there is no folder. */
export async function listParts(folder: string): Promise<readonly PartName[]> {
  const fileNames = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (notThere(error)) return [];
    throw error;
  });
  const parts: PartName[] = [];
  for (const fileName of fileNames) {
    const part = partName(fileName) ?? (await stagedPart(folder, fileName));
    if (part !== null) parts.push(part);
  }
  return parts.sort((a, b) => a.sequence - b.sequence || (a.fileName < b.fileName ? -1 : 1));
}

export type ReadParts = ReadEach<ScoreTable>;

/** Reads and verifies every part. */
export function readParts(folder: string): Promise<ReadParts> {
  return eachPart(folder, (part) => readPartTable(folder, part));
}

/** Reads and verifies one part. */
export async function readPartTable(folder: string, part: PartName): Promise<ScoreTable> {
  return verifiedPart(folder, part, await readPart(folder, part));
}

/** Reads every part with `read`, which throws where a part cannot be used. */
export async function eachPart<Part>(folder: string, read: (part: PartName) => Promise<Part>): Promise<ReadEach<Part>> {
  const tables: Part[] = [];
  const damaged: { file: string; reason: string }[] = [];
  const parts = await listParts(folder);
  const foreign = await foreignVersion(folder);
  for (const part of parts) {
    const file = join(folder, part.fileName);
    try {
      if (foreign !== null) throw new Error(foreign);
      tables.push(await read(part));
    } catch (error) {
      // Gone since it was listed: the process that holds the entry has just completed it.
      if (notThere(error)) continue;
      damaged.push({ file, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { tables, damaged, nextSequence: (parts.at(-1)?.sequence ?? 0) + 1 };
}

/** Removes the parts that cannot be used, and the files that killed writers left half-written. */
export async function sweepParts(folder: string, damaged: ReadEach<unknown>['damaged']): Promise<void> {
  for (const { file } of damaged) await removeFile(file);
  const parts = new Set((await listParts(folder)).map(({ fileName }) => fileName));
  const fileNames = await readdir(folder).catch(() => []);
  for (const fileName of fileNames.filter((name) => name.endsWith('.tmp') && !parts.has(name)))
    await removeFile(join(folder, fileName));
}

/** A part under its temporary name: its writer is about to flush it, or was killed before. */
async function stagedPart(folder: string, fileName: string): Promise<PartName | null> {
  const part = partName(STAGED_NAME.exec(fileName)?.[1] ?? '');
  if (part === null) return null;
  try {
    verifiedPart(folder, part, await readFile(join(folder, fileName)));
    return { ...part, fileName };
  } catch (error) {
    // Flushed and renamed meanwhile; else it is half-written.
    return notThere(error) ? part : null;
  }
}

async function readPart(folder: string, { fileName }: PartName): Promise<Uint8Array> {
  try {
    return await readFile(join(folder, fileName));
  } catch (error) {
    const finalName = STAGED_NAME.exec(fileName)?.[1];
    if (finalName === undefined || !notThere(error)) throw error;
    return readFile(join(folder, finalName));
  }
}

function partName(fileName: string): PartName | null {
  const match = PART_NAME.exec(fileName);
  if (match === null) return null;
  return { fileName, sequence: Number(match[1]), rows: Number(match[2]), checksum: match[3]! };
}

/** The rows of a part whose bytes were read. Throws with a plain reason when they are not those that were written. */
export function verifiedPart(folder: string, part: PartName, bytes: Uint8Array): ScoreTable {
  if (partChecksum(folder, bytes) !== part.checksum) throw new Error('the part does not match its checksum');
  const table = decodeTable(bytes);
  if (table.ids.length !== part.rows) throw new Error(`the part holds ${table.ids.length} rows, not ${part.rows}`);
  return table;
}

function partChecksum(folder: string, bytes: Uint8Array): string {
  return createHash('sha256')
    .update(`${basename(folder)}\n`)
    .update(bytes)
    .digest('hex')
    .slice(0, 32);
}

const FACTS_NAME = 'facts.json';

/** Keeps beside the parts what the model turned out to be: the run that completes the entry may load no model. */
export async function writePartFacts(folder: string, facts: unknown): Promise<void> {
  await writeFileAtomic(join(folder, FACTS_NAME), `${JSON.stringify({ facts, checksum: contentHash(facts) })}\n`);
}

/** null when no earlier run left any, or the file is damaged: they describe, and no number depends on them. */
export async function readPartFacts(folder: string): Promise<unknown> {
  try {
    const { facts, checksum } = JSON.parse(await readFile(join(folder, FACTS_NAME), 'utf8'));
    return contentHash(facts) === checksum ? facts : null;
  } catch {
    return null;
  }
}
