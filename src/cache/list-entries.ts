import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { notThere } from '../errors/not-there.js';
import type { KeyIngredients } from './key/entry-key.js';
import { type Manifest, parseManifest } from './key/manifest.js';
import { listParts, readParts } from './parts/part-files.js';
import { readPartKey } from './parts/part-key.js';
import { readComplete } from './read-entry.js';

/** A file of the cache that cannot be used as it is. */
export interface DamagedFile {
  readonly file: string;
  readonly reason: string;
}

/** One line of `supportcal cache ls`. */
export interface ListedEntry {
  readonly name: string;
  readonly state: 'complete' | 'partial' | 'damaged';
  /** What is wrong with a damaged entry, file by file. */
  readonly damaged: readonly DamagedFile[];
  /** null when the file that tells is damaged. */
  readonly key: KeyIngredients | null;
  readonly rows: number;
  /** null when unknown. */
  readonly failed: number | null;
  /** Bytes of all files of the entry. */
  readonly bytes: number;
  /** Milliseconds since the epoch of the last change on disk. */
  readonly changedAt: number;
  /** The manifest of a complete entry; null for any other. */
  readonly manifest: Manifest | null;
}

const ENTRY_FILE = /^(.+-[0-9a-f]{12})(?:\.[0-9a-f]{12})?\.(json|arrow|parts)$/;

/**
 * All entries of a cache folder in name order; none when there is no folder. Manifests are verified, of the Arrow
 * files only presence and size: `verifyEntries` reads everything.
 */
export async function listEntries(cacheDir: string): Promise<readonly ListedEntry[]> {
  const fileNames = await readdir(cacheDir).catch((error: NodeJS.ErrnoException) => {
    if (notThere(error)) return [];
    throw error;
  });
  const names = new Map<string, string[]>();
  for (const fileName of fileNames) {
    const name = ENTRY_FILE.exec(fileName)?.[1];
    if (name !== undefined) names.set(name, [...(names.get(name) ?? []), fileName]);
  }
  const entries: ListedEntry[] = [];
  // One after the other: thousands at once would need as many file descriptors.
  for (const fileName of fileNames) if (fileName.endsWith('.rows')) names.get(fileName.slice(0, -5))?.push(fileName);
  for (const [name, files] of [...names].sort(([a], [b]) => (a < b ? -1 : 1))) {
    entries.push(await listEntry(cacheDir, name, files));
  }
  return entries;
}

/** The entries of a cache, every byte of each verified. `onEntry` is called before each. */
export async function verifyEntries(
  cacheDir: string,
  onEntry: (entry: ListedEntry) => void = () => undefined,
): Promise<readonly ListedEntry[]> {
  const verified: ListedEntry[] = [];
  for (const entry of await listEntries(cacheDir)) {
    onEntry(entry);
    const damaged = entry.state === 'damaged' ? entry.damaged : await damageOf(cacheDir, entry);
    verified.push(damaged.length === 0 ? entry : { ...entry, state: 'damaged', damaged });
  }
  return verified;
}

async function damageOf(cacheDir: string, entry: ListedEntry): Promise<readonly DamagedFile[]> {
  if (entry.state === 'partial') return (await readParts(join(cacheDir, `${entry.name}.parts`))).damaged;
  const manifestFile = join(cacheDir, `${entry.name}.json`);
  const text = await readFile(manifestFile, 'utf8').catch(() => '');
  const state = await readComplete(manifestFile, text, null);
  return state.kind === 'damaged' ? [{ file: state.file, reason: state.reason }] : [];
}

async function listEntry(cacheDir: string, name: string, fileNames: readonly string[]): Promise<ListedEntry> {
  const manifestFile = join(cacheDir, `${name}.json`);
  const { bytes, changedAt } = await sizeOf(fileNames.map((fileName) => join(cacheDir, fileName)));
  const base = { name, bytes, changedAt, damaged: [], manifest: null, failed: null };
  const damaged = (file: string, reason: string): ListedEntry => ({
    ...base,
    state: 'damaged',
    damaged: [{ file, reason }],
    key: null,
    rows: 0,
  });
  if (!fileNames.includes(`${name}.json`)) {
    if (!fileNames.includes(`${name}.parts`)) return damaged(manifestFile, 'the manifest is missing');
    const folder = join(cacheDir, `${name}.parts`);
    const rows = (await listParts(folder)).reduce((sum, part) => sum + part.rows, 0);
    const key = await readPartKey(folder, name);
    if ('key' in key) return { ...base, state: 'partial', key: key.key, rows };
    // A run that was killed as it made the folder, or is making it.
    if (rows === 0) return { ...base, state: 'partial', key: null, rows };
    return { ...damaged(key.file, key.reason), rows };
  }
  try {
    const manifest = parseManifest(await readFile(manifestFile, 'utf8'));
    const { key, rows, failed } = manifest;
    const arrowFile = join(cacheDir, manifest.arrowFile);
    const size = (await stat(arrowFile).catch(() => null))?.size ?? null;
    if (size === manifest.arrowBytes) return { ...base, state: 'complete', key, rows, failed, manifest };
    const reason =
      size === null ? 'the Arrow file is missing' : `the file has ${size} bytes, not ${manifest.arrowBytes}`;
    return { ...damaged(arrowFile, reason), key, rows };
  } catch (error) {
    return damaged(manifestFile, error instanceof Error ? error.message : String(error));
  }
}

/** Bytes and last change of files; a folder counts with the files in it. */
async function sizeOf(paths: readonly string[]): Promise<{ bytes: number; changedAt: number }> {
  let [bytes, changedAt] = [0, 0];
  for (const path of paths) {
    const stats = await stat(path).catch(() => null);
    if (stats === null) continue;
    changedAt = Math.max(changedAt, stats.mtimeMs);
    if (!stats.isDirectory()) bytes += stats.size;
    else bytes += (await sizeOf((await readdir(path).catch(() => [])).map((name) => join(path, name)))).bytes;
  }
  return { bytes, changedAt };
}
