import { checkKept } from '../cache/kept-results.js';
import { type ListedEntry, listEntries } from '../cache/list-entries.js';
import { removeEntry } from '../cache/remove-entry.js';
import { listStaleFiles, removeStaleFile } from '../cache/stale-files.js';
import { removeFile } from '../files/busy-files.js';
import { ownBuild } from '../files/own-files.js';
import { type CacheOptions, cacheReferences } from './score/cache-references.js';

export interface PruneSummary {
  /** What no suite refers to, with the reason; `removed` false: only shown, or in use by a run. */
  readonly entries: ReadonlyArray<{
    readonly entry: ListedEntry;
    readonly reason: string;
    readonly removed: boolean;
    readonly inUse: boolean;
  }>;
  /** Files that killed runs left, and calibrations of other builds. */
  readonly leftOvers: ReadonlyArray<{ readonly file: string; readonly reason: string; readonly removed: boolean }>;
  readonly kept: number;
}

/** Finds what no suite of models.yaml refers to; removes it when `remove` is set. Entries that a run holds stay. */
export async function pruneCache(options: CacheOptions & { readonly remove: boolean }): Promise<PruneSummary> {
  const listed = await listEntries(options.cache);
  const unused = listed.length === 0 ? () => null : await cacheReferences(options);
  const entries: PruneSummary['entries'][number][] = [];
  for (const entry of listed) {
    const reason = unused(entry);
    if (reason === null) continue;
    const removed = options.remove && (await removeEntry(options.cache, entry.name));
    entries.push({ entry, reason, removed, inUse: options.remove && !removed });
  }
  const leftOvers: PruneSummary['leftOvers'][number][] = [];
  for (const stale of await listStaleFiles(options.cache, listed)) {
    const removed = options.remove && (await removeStaleFile(stale));
    leftOvers.push({ file: stale.file, reason: stale.what, removed });
  }
  for (const file of (await checkKept(options.cache, ownBuild())).outdated) {
    if (options.remove) await removeFile(file);
    leftOvers.push({ file, reason: 'a calibration that another build kept', removed: options.remove });
  }
  return { entries, leftOvers, kept: listed.length - entries.length };
}
