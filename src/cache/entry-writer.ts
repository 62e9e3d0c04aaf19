import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ModelRow } from '../contract/scored-row.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { writeFileAtomic } from '../files/write-file-atomic.js';
import { rowFault } from './check-row.js';
import { flushQueue } from './flush-queue.js';
import type { EntryFiles } from './key/entry-files.js';
import type { EntryKey } from './key/entry-key.js';
import { type Manifest, manifestText } from './key/manifest.js';
import type { EntryLock } from './lock/entry-lock.js';
import { type ReadEach, readParts, writePart, writePartFacts } from './parts/part-files.js';
import type { PartIds } from './parts/part-reader.js';
import { verifiedTable } from './read-entry.js';
import { encodeTable } from './table/encode-table.js';
import { joinTables, type ScoreTable, sameTable, scoreTable, takeTableRows } from './table/score-table.js';

export interface EntryWriter {
  /** Ids that have a row on disk, failed ones included. */
  completedIds(): ReadonlySet<string>;
  /** Ids whose row on disk is a failure; appending such an id again replaces the row. */
  failedIds(): ReadonlySet<string>;
  /** What the model of an earlier run turned out to be; null: nobody has said so yet. */
  facts(): unknown;
  /** Keeps what the model of this run turned out to be, for the manifest. */
  keepFacts(facts: unknown): Promise<void>;
  /**
   * The rows outlive this process when the promise resolves; the disk has them some milliseconds later, `complete` and
   * `release` wait for that. Refuses rows that are not finite, unknown or already there.
   */
  append(rows: readonly ModelRow[]): Promise<void>;
  /** Writes the final file in id order, verifies it, then the manifest; the parts are removed. Every id needs a row. */
  complete(facts: unknown, createdAt: string): Promise<{ readonly table: ScoreTable; readonly manifest: Manifest }>;
  /** Gives the lock back; what was appended stays. Rejects when some of it could not be flushed. */
  release(): Promise<void>;
}

interface WriterSetup {
  readonly files: EntryFiles;
  readonly key: EntryKey;
  readonly lock: EntryLock;
  readonly ids: readonly string[];
  readonly parts: ReadEach<PartIds>;
  readonly facts: unknown;
}

/** The writer of an entry whose lock is held. Calls of `append` may overlap; they are written one after the other. */
export function entryWriter(setup: WriterSetup): EntryWriter {
  const { files, lock, parts } = setup;
  const known: KnownRows = { expected: new Set(setup.ids), completed: new Set(), failed: new Set() };
  for (const table of parts.tables) note(table, known);
  let sequence = parts.nextSequence;
  let latestFacts = setup.facts;
  let queue: Promise<unknown> = Promise.resolve();
  const flushes = flushQueue(files.parts);
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = queue.then(work);
    queue = result.catch(() => undefined);
    return result;
  };
  return {
    completedIds: () => known.completed,
    failedIds: () => known.failed,
    facts: () => latestFacts,
    keepFacts: (facts) =>
      inTurn(async () => {
        await lock.assertHeld();
        await writePartFacts(files.parts, facts);
        latestFacts = facts;
      }),
    append: (rows) =>
      inTurn(async () => {
        if (rows.length === 0) return;
        await lock.assertHeld();
        checkRows(files.arrow, rows, known);
        const table = scoreTable(rows);
        await flushes.room();
        const part = await writePart(files.parts, sequence++, table);
        flushes.add(() => part.commit());
        note(table, known);
      }),
    complete: (facts, createdAt) =>
      inTurn(async () => {
        await flushes.done();
        await lock.assertHeld();
        const result = await compact(setup, facts, createdAt);
        // What stays of the parts after a kill here is removed when the entry is opened next.
        await lock.assertHeld();
        // Another run may just look for a range that nobody holds, and make its lock there.
        await rm(files.parts, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
        return result;
      }),
    release: () => inTurn(() => flushes.done().finally(() => lock.release())),
  };
}

/** The ids of an entry that grows. */
interface KnownRows {
  /** All ids that the entry is to have. */
  readonly expected: ReadonlySet<string>;
  /** Ids that have a row, scored or failed. */
  readonly completed: Set<string>;
  readonly failed: Set<string>;
}

/** A later row of an id replaces an earlier one. */
function note(table: PartIds, { expected, completed, failed }: KnownRows): void {
  table.ids.forEach((id, n) => {
    if (!expected.has(id)) return;
    completed.add(id);
    if (table.status[n] === 1) failed.delete(id);
    else failed.add(id);
  });
}

function checkRows(file: string, rows: readonly ModelRow[], { expected, completed, failed }: KnownRows): void {
  const seen = new Set<string>();
  const faults = rows.flatMap((row) => {
    const known = expected.has(row.id) ? null : 'no such example in the data set';
    const twice = seen.has(row.id) || (completed.has(row.id) && !failed.has(row.id)) ? 'scored twice' : null;
    seen.add(row.id);
    const message = rowFault(row, 'float32') ?? known ?? twice;
    return message === null ? [] : [{ file, row: row.id, message }];
  });
  if (faults.length > 0) throw new SupportCalError('internal', faults);
}

async function compact(
  setup: WriterSetup,
  facts: unknown,
  createdAt: string,
): Promise<{ table: ScoreTable; manifest: Manifest }> {
  const { files, key, ids, lock } = setup;
  const { tables, damaged } = await readParts(files.parts);
  if (damaged.length > 0) {
    throw new SupportCalError(
      'cache-damaged',
      damaged.map(({ file, reason }) => ({ file, message: `${reason}; run again to score its rows again` })),
    );
  }
  const all = joinTables(tables);
  const rowOfId = new Map(all.ids.map((id, n) => [id, n]));
  const missing = ids.filter((id) => !rowOfId.has(id));
  if (missing.length > 0) {
    throw new SupportCalError('scoring', {
      file: files.arrow,
      message:
        `${missing.length} of ${ids.length} rows were not scored, the ` +
        `first is "${missing[0]}"; run again to score them`,
    });
  }
  const table = takeTableRows(
    all,
    Int32Array.from(ids, (id) => rowOfId.get(id)!),
  );
  return writeFinal({
    arrowPath: () => files.arrow,
    manifestPath: files.manifest,
    lock,
    key,
    table,
    precision: 'float32',
    facts,
    createdAt,
  });
}

interface FinalEntry {
  /** Path of the Arrow file, given its checksum. */
  readonly arrowPath: (checksum: string) => string;
  readonly manifestPath: string;
  readonly lock: EntryLock;
  readonly key: EntryKey;
  readonly table: ScoreTable;
  readonly precision: 'float32' | 'float64';
  readonly facts: unknown;
  readonly createdAt: string;
}

/**
 * Arrow file first, read back from disk and compared before it gets its name; then the manifest that makes it count.
 * The lock is looked at before either gets its name: all that takes long is behind, and a process may have been stopped
 * meanwhile for so long that another run holds the entry.
 */
export async function writeFinal(entry: FinalEntry): Promise<{ table: ScoreTable; manifest: Manifest }> {
  const { key, table, precision, lock } = entry;
  const bytes = encodeTable(table, precision);
  const checksum = createHash('sha256').update(bytes).digest('hex');
  const arrowPath = entry.arrowPath(checksum);
  const ok = table.status.reduce((sum, status) => sum + status, 0);
  const manifest: Manifest = {
    schemaVersion: 1,
    name: key.name,
    keyHash: key.hash,
    key: key.ingredients,
    model: key.ingredients.model,
    dataset: key.ingredients.dataset,
    rows: table.ids.length,
    ok,
    failed: table.ids.length - ok,
    arrowFile: basename(arrowPath),
    arrowBytes: bytes.length,
    checksum,
    createdAt: entry.createdAt,
    facts: entry.facts,
  };
  const text = manifestText(manifest);
  await writeFileAtomic(arrowPath, bytes, {
    async verify(temporaryPath) {
      if (!sameTable(table, verifiedTable(await readFile(temporaryPath), manifest), precision)) {
        throw new SupportCalError('internal', {
          file: arrowPath,
          message: 'the rows do not read back as they were written',
        });
      }
      await lock.assertHeld();
    },
  });
  await writeFileAtomic(entry.manifestPath, text, { verify: () => lock.assertHeld() });
  return { table: verifiedTable(bytes, manifest), manifest };
}
