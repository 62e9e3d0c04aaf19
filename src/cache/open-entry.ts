import { setTimeout as sleep } from 'node:timers/promises';
import { SupportCalError } from '../errors/supportcal-error.js';
import { removeFile, removeFolder } from '../files/busy-files.js';
import { writeFailed } from '../files/write-failed.js';
import { type EntryWriter, entryWriter } from './entry-writer.js';
import { type EntryFiles, entryFiles, removeTemporaryFiles } from './key/entry-files.js';
import type { EntryKey } from './key/entry-key.js';
import type { Manifest } from './key/manifest.js';
import { type EntryLock, type LockOptions, lockEntry } from './lock/entry-lock.js';
import { type LockSeekers, lockSeekers } from './lock/lock-seekers.js';
import { readPartFacts, sweepParts } from './parts/part-files.js';
import { writePartKey } from './parts/part-key.js';
import { type PartReader, partReader } from './parts/part-reader.js';
import { endSharing } from './parts/shared-parts.js';
import { readEntry } from './read-entry.js';
import type { ScoreTable } from './table/score-table.js';

export interface OpenEntryOptions extends LockOptions {
  /** Ids of all rows in the order of the final file; the entry is complete when each has a row. */
  readonly ids: readonly string[];
  /** Drops what is stored and starts anew. */
  readonly refresh?: boolean;
}

/** How an entry is opened by a run that does not wait for others. */
export interface TryOpenOptions extends Pick<OpenEntryOptions, 'ids' | 'onMessage'> {
  readonly seek: LockSeekers;
  /** Absent: one that has read nothing yet. */
  readonly readParts?: PartReader | undefined;
}

export type OpenedEntry =
  /** Nothing to do: complete already, perhaps by the process that this one waited for. The lock is released. */
  | { readonly kind: 'complete'; readonly table: ScoreTable; readonly manifest: Manifest }
  | { readonly kind: 'open'; readonly writer: EntryWriter };

/**
 * Opens an entry for scoring: takes its lock, drops what is damaged (named through `onMessage`), and finds the rows
 * that an earlier run left. The caller must `release` the writer, also after an error.
 *
 * @throws SupportCalError write-failed, interrupted
 */
export async function openEntry(cacheDir: string, key: EntryKey, options: OpenEntryOptions): Promise<OpenedEntry> {
  const files = entryFiles(cacheDir, key);
  const seek = lockSeekers(options.now);
  for (;;) {
    const lock = await lockEntry(files.lockTarget, options);
    if (await endSharingOrRelease(files.parts, lock, seek)) return openLocked(cacheDir, key, lock, options);
    options.onMessage?.(`waiting for the runs that score rows of ${files.lockTarget}`);
    await sleep(options.pollMs ?? 200);
  }
}

/**
 * Opens all of an entry that nobody holds, as `openEntry` does; null while another run holds it or some of its rows.
 */
export async function tryOpenEntry(
  cacheDir: string,
  key: EntryKey,
  options: TryOpenOptions,
): Promise<OpenedEntry | null> {
  const files = entryFiles(cacheDir, key);
  const lock = await options.seek(files.lockTarget);
  if (lock === null || !(await endSharingOrRelease(files.parts, lock, options.seek))) return null;
  return openLocked(cacheDir, key, lock, options);
}

async function endSharingOrRelease(parts: string, lock: EntryLock, seek: LockSeekers): Promise<boolean> {
  let whole = false;
  try {
    whole = await endSharing(parts, seek);
    return whole;
  } finally {
    if (!whole) await lock.release();
  }
}

/** Opens an entry whose lock is held and of which no other run holds a range. Gives the lock back if it cannot. */
export async function openLocked(
  cacheDir: string,
  key: EntryKey,
  lock: EntryLock,
  options: Omit<OpenEntryOptions, keyof LockOptions> & Pick<TryOpenOptions, 'onMessage' | 'readParts'>,
): Promise<OpenedEntry> {
  const files = entryFiles(cacheDir, key);
  try {
    await removeTemporaryFiles(files);
    const state = options.refresh ? null : await readEntry(cacheDir, key);
    if (state?.kind === 'complete') {
      await removeFolder(files.parts);
      await lock.release();
      return { kind: 'complete', table: state.table, manifest: state.manifest };
    }
    if (state?.kind === 'damaged') {
      options.onMessage?.(`${state.file} is damaged (${state.reason}); the entry is scored again`);
    }
    if (state === null || state.kind === 'damaged') await removeFinal(files);
    if (state === null) await removeFolder(files.parts);
    const { readParts = partReader() } = options;
    const parts = await readParts(files.parts);
    for (const part of parts.damaged)
      options.onMessage?.(`${part.file} is damaged (${part.reason}); its rows are scored again`);
    await sweepParts(files.parts, parts.damaged);
    await writePartKey(files.parts, key);
    const facts = await readPartFacts(files.parts);
    return { kind: 'open', writer: entryWriter({ files, key, lock, ids: options.ids, parts, facts }) };
  } catch (error) {
    await lock.release();
    throw error instanceof SupportCalError ? error : writeFailed(files.arrow, error);
  }
}

/** The manifest goes first: without it nothing of the entry counts as complete. */
async function removeFinal(files: EntryFiles): Promise<void> {
  await removeFile(files.manifest);
  await removeFile(files.arrow);
}
