import { rmdir, stat } from 'node:fs/promises';
import { SupportCalError } from '../errors/supportcal-error.js';
import { writeFailed } from '../files/write-failed.js';
import { type EntryWriter, entryWriter } from './entry-writer.js';
import { type EntryFiles, entryFiles } from './key/entry-files.js';
import type { EntryKey } from './key/entry-key.js';
import type { EntryLock } from './lock/entry-lock.js';
import { type OpenedEntry, openLocked, type TryOpenOptions } from './open-entry.js';
import { type ReadEach, readPartFacts } from './parts/part-files.js';
import { type PartIds, partReader } from './parts/part-reader.js';
import { type RowRange, rowRanges } from './parts/row-ranges.js';
import { endSharing, isShared, markShared, rangeTarget } from './parts/shared-parts.js';

export interface OpenRangesOptions extends TryOpenOptions {
  /** Rows that are wanted; ranges are taken until they hold as many rows that nobody has scored. */
  readonly rows: number;
  /** Ranges that may be taken; absent: all. */
  readonly only?: ReadonlySet<number> | undefined;
  /** Called with a writer of the whole entry before its ranges get locks of their own. */
  readonly prepare?: (writer: EntryWriter) => Promise<void>;
}

export type OpenedRanges =
  | Extract<OpenedEntry, { kind: 'complete' }>
  /** `writer` takes the rows with `ids` and no others, and never completes the entry. */
  | { readonly kind: 'open'; readonly writer: EntryWriter; readonly ids: readonly string[] }
  /** Each row of the ranges that may be taken has been scored. */
  | { readonly kind: 'scored' }
  /** What is left is held by other runs. */
  | { readonly kind: 'held' };

/**
 * Opens some rows of an entry, whose other rows other runs may hold: what is missing in ranges that nobody holds. The
 * caller must `release` the writer. Whoever finds every row there opens the entry as a whole, and completes it.
 *
 * @throws SupportCalError write-failed
 */
export async function openRanges(cacheDir: string, key: EntryKey, options: OpenRangesOptions): Promise<OpenedRanges> {
  const { readParts = partReader() } = options;
  const files = entryFiles(cacheDir, key);
  const shared = await share(cacheDir, key, files, { ...options, readParts });
  if (shared !== 'shared') return shared === null ? { kind: 'held' } : shared;
  const missing = missingRanges(await readParts(files.parts), options);
  if (missing.length === 0) return { kind: 'scored' };
  const held: HeldRange[] = [];
  try {
    await takeRanges(files, missing, { options, held });
    // Rows may have come before the locks were taken; the marker tells that they were not removed meanwhile.
    const parts = await readParts(files.parts);
    const left = (await isShared(files.parts))
      ? new Set(missingRanges(parts, options).map(({ index }) => index))
      : null;
    await allOf(held.filter(({ index }) => !left?.has(index))).release();
    const kept = held.filter(({ index }) => left?.has(index));
    if (left === null) await rmdir(files.parts).catch(() => undefined);
    if (kept.length === 0) return { kind: 'held' };
    const ids = kept.flatMap(({ from, to }) => options.ids.slice(from, to));
    const facts = await readPartFacts(files.parts);
    return { kind: 'open', ids, writer: entryWriter({ files, key, lock: allOf(kept), ids, parts, facts }) };
  } catch (error) {
    await allOf(held).release();
    throw error instanceof SupportCalError ? error : writeFailed(files.arrow, error);
  }
}

interface HeldRange extends RowRange {
  readonly lock: EntryLock;
}

interface MissingRange extends RowRange {
  readonly rowsLeft: number;
}

/** Sees to it that the ranges of the entry have locks of their own; null: another run holds the whole entry. */
async function share(
  cacheDir: string,
  key: EntryKey,
  files: EntryFiles,
  options: OpenRangesOptions,
): Promise<'shared' | Extract<OpenedRanges, { kind: 'complete' }> | null> {
  const unfinished = (await stat(files.manifest).catch(() => null)) === null;
  if (unfinished && (await isShared(files.parts))) return 'shared';
  const lock = await options.seek(files.lockTarget);
  if (lock === null) return null;
  if (!(await endSharing(files.parts, options.seek).catch(() => false))) {
    await lock.release();
    return null;
  }
  const opened = await openLocked(cacheDir, key, lock, options);
  if (opened.kind === 'complete') return opened;
  try {
    await options.prepare?.(opened.writer);
    await markShared(files.parts);
  } finally {
    await opened.writer.release();
  }
  return 'shared';
}

/** Ranges that may be taken and in which a row is missing. */
function missingRanges({ tables }: ReadEach<PartIds>, { ids, only }: OpenRangesOptions): MissingRange[] {
  const done = new Set(tables.flatMap((table) => table.ids));
  return rowRanges(ids.length).flatMap((range) => {
    if (only?.has(range.index) === false) return [];
    const rowsLeft = ids.slice(range.from, range.to).filter((id) => !done.has(id)).length;
    return rowsLeft === 0 ? [] : [{ ...range, rowsLeft }];
  });
}

async function takeRanges(
  files: EntryFiles,
  missing: readonly MissingRange[],
  { options, held }: { readonly options: OpenRangesOptions; readonly held: HeldRange[] },
): Promise<void> {
  let rows = 0;
  for (let from = 0; from < missing.length && rows < options.rows; ) {
    const some = enough(missing.slice(from), options.rows - rows);
    from += some.length;
    const locks = await Promise.allSettled(
      some.map(async (range) => {
        const lock = await options.seek(rangeTarget(files.parts, range));
        if (lock === null) return;
        held.push({ ...range, lock });
        rows += range.rowsLeft;
      }),
    );
    for (const each of locks) if (each.status === 'rejected') throw each.reason;
  }
  held.sort((a, b) => a.index - b.index);
}

/** So many files may be open at a time. */
const MOST_AT_A_TIME = 16;

/** The first ranges that hold so many rows between them. */
function enough(missing: readonly MissingRange[], wanted: number): MissingRange[] {
  let rows = 0;
  return missing.slice(0, MOST_AT_A_TIME).filter(({ rowsLeft }) => {
    rows += rowsLeft;
    return rows - rowsLeft < wanted;
  });
}

/** The locks of several ranges as one: lost when one of them is. */
function allOf(held: readonly HeldRange[]): EntryLock {
  return {
    async assertHeld() {
      for (const { lock } of held) await lock.assertHeld();
    },
    async release() {
      await Promise.all(held.map(({ lock }) => lock.release()));
    },
  };
}
