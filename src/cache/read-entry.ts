import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { notThere } from '../errors/not-there.js';
import { FileReader } from '../files/file-reader.js';
import { entryFiles } from './key/entry-files.js';
import type { EntryKey } from './key/entry-key.js';
import { type Manifest, parseManifest } from './key/manifest.js';
import { readParts } from './parts/part-files.js';
import { decodeTable } from './table/encode-table.js';
import type { ScoreTable } from './table/score-table.js';

export type EntryState =
  | { readonly kind: 'complete'; readonly table: ScoreTable; readonly manifest: Manifest }
  /** Scoring was cut short: `ids` are on disk, `failed` of them without logits. */
  | { readonly kind: 'partial'; readonly ids: readonly string[]; readonly failed: number }
  | { readonly kind: 'missing' }
  /** Bytes were cut or changed. Nothing of the entry is used; opening it for writing rebuilds it. */
  | { readonly kind: 'damaged'; readonly reason: string; readonly file: string };

/** Another process may replace the entry between two reads; after that many times it is damage. */
const ATTEMPTS = 3;

/**
 * Reads an entry and verifies every byte of it before use. Changes nothing on disk, takes no lock.
 *
 * @param reader the same one for entries that are read one after the other
 */
export async function readEntry(cacheDir: string, key: EntryKey, reader = new FileReader()): Promise<EntryState> {
  const files = entryFiles(cacheDir, key);
  let seen: string | null = null;
  for (let attempt = 1; ; attempt++) {
    const text = await readText(files.manifest);
    const state =
      text === null ? await readUnfinished(files) : await readComplete(files.manifest, text, key.hash, reader);
    if (state.kind === 'complete' || attempt === ATTEMPTS) return state;
    // Settled when the manifest is the same as before the Arrow file or the parts were read.
    if (text === seen && attempt > 1) return state;
    if (text === null && (await readText(files.manifest)) === null) return state;
    seen = text;
  }
}

/** Verifies a manifest and the Arrow file it names. `keyHash` null: whatever key it has. */
export async function readComplete(
  manifestFile: string,
  text: string,
  keyHash: string | null,
  reader = new FileReader(),
): Promise<EntryState> {
  let file = manifestFile;
  try {
    const manifest = parseManifest(text);
    if (keyHash !== null && manifest.keyHash !== keyHash) throw new Error('the manifest belongs to another entry');
    if (`${manifest.name}.json` !== basename(manifestFile)) throw new Error('the manifest was made under another name');
    if (basename(manifest.arrowFile) !== manifest.arrowFile) throw new Error('the manifest points outside the cache');
    file = join(dirname(manifestFile), manifest.arrowFile);
    return { kind: 'complete', table: verifiedTable(await reader.read(file), manifest), manifest };
  } catch (error) {
    return { kind: 'damaged', reason: reasonOf(error), file };
  }
}

/** The table in an Arrow file that a manifest describes. Throws with a plain reason. */
export function verifiedTable(bytes: Uint8Array, manifest: Manifest): ScoreTable {
  if (bytes.length !== manifest.arrowBytes)
    throw new Error(`the file has ${bytes.length} bytes, not ${manifest.arrowBytes}`);
  if (createHash('sha256').update(bytes).digest('hex') !== manifest.checksum) {
    throw new Error('the file does not match its checksum');
  }
  const table = decodeTable(bytes);
  if (table.ids.length !== manifest.rows)
    throw new Error(`the file holds ${table.ids.length} rows, not ${manifest.rows}`);
  return table;
}

async function readUnfinished(files: ReturnType<typeof entryFiles>): Promise<EntryState> {
  const { tables } = await readParts(files.parts);
  if (tables.length > 0) {
    const failedById = new Map(
      tables.flatMap((table) => table.ids.map((id, n) => [id, table.status[n] === 0] as const)),
    );
    const failed = [...failedById.values()].filter((value) => value).length;
    return { kind: 'partial', ids: [...failedById.keys()], failed };
  }
  const orphan = await stat(files.arrow).catch(() => null);
  if (orphan === null) return { kind: 'missing' };
  return { kind: 'damaged', reason: 'the manifest is missing', file: files.manifest };
}

async function readText(path: string): Promise<string | null> {
  try {
    // A few kilobytes: a trip to another thread would take longer.
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (notThere(error)) return null;
    throw error;
  }
}

function reasonOf(error: unknown): string {
  if (notThere(error)) return 'the Arrow file is missing';
  return error instanceof Error ? error.message : String(error);
}
