import { rm } from 'node:fs/promises';
import { SupportCalError } from '../errors/supportcal-error.js';
import { writeFailed } from '../files/write-failed.js';
import { type EntryWriter, entryWriter } from './entry-writer.js';
import { type EntryFiles, entryFiles, removeTemporaryFiles } from './key/entry-files.js';
import type { EntryKey } from './key/entry-key.js';
import type { Manifest } from './key/manifest.js';
import { type LockOptions, lockEntry } from './lock/entry-lock.js';
import { readPartFacts, readParts, sweepParts } from './parts/part-files.js';
import { writePartKey } from './parts/part-key.js';
import { readEntry } from './read-entry.js';
import type { ScoreTable } from './table/score-table.js';

export interface OpenEntryOptions extends LockOptions {
  /** Ids of all rows in the order of the final file; the entry is complete when each has a row. */
  readonly ids: readonly string[];
  /** Drops what is stored and starts anew. */
  readonly refresh?: boolean;
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
  const lock = await lockEntry(files.lockTarget, options);
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
  await rm(files.manifest, { force: true });
  await rm(files.arrow, { force: true });
}

async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}
