import { basename } from 'node:path';
import { checkContentRows } from '../cache/content-rows.js';
import { checkKept } from '../cache/kept-results.js';
import { type DamagedFile, type ListedEntry, verifyEntries } from '../cache/list-entries.js';
import { listStaleFiles } from '../cache/stale-files.js';
import { type VerifiedDownloads, verifyDownloads } from '../hub/verify-downloads.js';
import { importableNames } from './asking/ways-of-asking.js';
import { hubFolder } from './workspace/open-hub.js';

export interface CacheVerification {
  readonly entries: readonly ListedEntry[];
  readonly damaged: ReadonlyArray<{
    readonly entry: string;
    readonly model: string | null;
    readonly dataset: string | null;
    readonly file: string;
    readonly reason: string;
    /** What to do. */
    readonly advice: string;
  }>;
  /** Files that killed runs left; they do no harm. */
  readonly leftOvers: readonly string[];
  /** What was fetched from the hub. */
  readonly downloads: VerifiedDownloads;
}

/** Reads every byte of the cache, downloads of the hub included, and names what is damaged; changes nothing. */
export async function verifyCache(
  cacheDir: string,
  onEntry?: (entry: ListedEntry) => void,
): Promise<CacheVerification> {
  const entries = await verifyEntries(cacheDir, onEntry);
  const kept = await checkKept(cacheDir);
  const lists = await checkContentRows(cacheDir);
  const damagedEntries = entries.flatMap((entry) =>
    entry.damaged.map(({ file, reason }) => ({
      entry: entry.name,
      model: entry.key?.model ?? null,
      dataset: entry.key?.dataset ?? null,
      file,
      reason,
      advice: adviceFor(entry),
    })),
  );
  const damaged = [...damagedEntries, ...kept.damaged.map(besideEntries(ANEW)), ...lists.map(besideEntries(UNFOUND))];
  const leftOvers = (await listStaleFiles(cacheDir, entries)).map(({ file }) => file);
  const downloads = await verifyDownloads({ folder: hubFolder(cacheDir) });
  return { entries, damaged, leftOvers, downloads };
}

const ANEW = 'the next run calibrates anew and replaces it';
const UNFOUND =
  'remove it: the scores beside it are found as before, and a changed data set alone takes no rows from them';

function besideEntries(advice: string): (damaged: DamagedFile) => CacheVerification['damaged'][number] {
  return (damaged) => ({ entry: basename(damaged.file), model: null, dataset: null, ...damaged, advice });
}

const IMPORTED_NAME = new RegExp(`--import(--(${importableNames().join('|')}))?-[0-9a-f]{12}$`);

function adviceFor({ name, key }: ListedEntry): string {
  const imported = key === null ? IMPORTED_NAME.test(name) : key.kind === 'imported';
  return imported
    ? 'import the scores again (supportcal import)'
    : 'the next run of its suite scores it again, and nothing else';
}
