import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeyIngredients } from './entry-key.js';
import type { Manifest } from './manifest.js';
import { parseManifest } from './manifest.js';
import { listParts, readParts } from './part-files.js';
import { readComplete } from './read-entry.js';

/** One line of `supportcal cache ls`. */
export interface ListedEntry {
  readonly name: string;
  readonly state: 'complete' | 'partial' | 'damaged';
  /** What is wrong with a damaged entry. */
  readonly reason: string | null;
  /** null when the file that tells is damaged. */
  readonly model: string | null;
  readonly dataset: string | null;
  readonly rows: number;
  readonly failed: number | null;
  readonly bytes: number;
  /** Milliseconds since the epoch of the last change on disk. */
  readonly changedAt: number;
  readonly manifest: Manifest | null;
}

const ENTRY_FILE = /^(.+-[0-9a-f]{12})(?:\.[0-9a-f]{12})?\.(json|arrow|parts)$/;

/**
 * All entries of a cache folder in name order; none when there is no folder. Manifests are verified, of the Arrow
 * files only presence and size: `verifyEntries` reads everything.
 */
export async function listEntries(cacheDir: string): Promise<readonly ListedEntry[]> {
  const fileNames = await readdir(cacheDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const names = new Set(fileNames.flatMap((fileName) => ENTRY_FILE.exec(fileName)?.[1] ?? []));
  return Promise.all([...names].sort().map((name) => listEntry(cacheDir, name, new Set(fileNames))));
}

/** The same list, every byte of every entry verified. */
export async function verifyEntries(cacheDir: string): Promise<readonly ListedEntry[]> {
  const verified: ListedEntry[] = [];
  for (const entry of await listEntries(cacheDir)) verified.push(await verifyEntry(cacheDir, entry));
  return verified;
}

async function verifyEntry(cacheDir: string, entry: ListedEntry): Promise<ListedEntry> {
  if (entry.state === 'partial') {
    const { damaged } = await readParts(join(cacheDir, `${entry.name}.parts`));
    const [first] = damaged;
    return first === undefined ? entry : { ...entry, state: 'damaged', reason: `${first.file}: ${first.reason}` };
  }
  if (entry.state === 'damaged') return entry;
  const manifestFile = join(cacheDir, `${entry.name}.json`);
  const state = await readComplete(manifestFile, await readFile(manifestFile, 'utf8'), null);
  return state.kind === 'damaged' ? { ...entry, state: 'damaged', reason: `${state.file}: ${state.reason}` } : entry;
}

async function listEntry(cacheDir: string, name: string, present: ReadonlySet<string>): Promise<ListedEntry> {
  if (!present.has(`${name}.json`)) {
    return present.has(`${name}.parts`)
      ? listPartial(cacheDir, name)
      : damagedEntry(cacheDir, name, 'the manifest is missing');
  }
  try {
    const manifest = parseManifest(await readFile(join(cacheDir, `${name}.json`), 'utf8'));
    const stats = await stat(join(cacheDir, manifest.arrowFile)).catch(() => null);
    const { model, dataset, rows, failed } = manifest;
    const fault =
      stats === null
        ? 'the Arrow file is missing'
        : stats.size === manifest.arrowBytes
          ? null
          : `the Arrow file has ${stats.size} bytes, not ${manifest.arrowBytes}`;
    const state = fault === null ? 'complete' : 'damaged';
    return {
      name,
      state,
      reason: fault,
      model,
      dataset,
      rows,
      failed,
      bytes: stats?.size ?? 0,
      changedAt: stats?.mtimeMs ?? 0,
      manifest,
    };
  } catch (error) {
    return damagedEntry(cacheDir, name, error instanceof Error ? error.message : String(error));
  }
}

async function listPartial(cacheDir: string, name: string): Promise<ListedEntry> {
  const folder = join(cacheDir, `${name}.parts`);
  const parts = await listParts(folder);
  const sizes = await Promise.all(parts.map((part) => stat(join(folder, part.fileName)).catch(() => null)));
  const key = await readKey(folder);
  return {
    name,
    state: 'partial',
    reason: null,
    model: key?.model ?? null,
    dataset: key?.dataset ?? null,
    rows: parts.reduce((sum, part) => sum + part.rows, 0),
    failed: null,
    bytes: sizes.reduce((sum, stats) => sum + (stats?.size ?? 0), 0),
    changedAt: Math.max(0, ...sizes.map((stats) => stats?.mtimeMs ?? 0)),
    manifest: null,
  };
}

async function damagedEntry(cacheDir: string, name: string, reason: string): Promise<ListedEntry> {
  const stats = await stat(join(cacheDir, `${name}.arrow`)).catch(() => null);
  const { size, mtimeMs } = stats ?? { size: 0, mtimeMs: 0 };
  return {
    name,
    state: 'damaged',
    reason,
    model: null,
    dataset: null,
    rows: 0,
    failed: null,
    bytes: size,
    changedAt: mtimeMs,
    manifest: null,
  };
}

async function readKey(folder: string): Promise<KeyIngredients | null> {
  try {
    return JSON.parse(await readFile(join(folder, 'entry.json'), 'utf8')).key;
  } catch {
    return null;
  }
}
