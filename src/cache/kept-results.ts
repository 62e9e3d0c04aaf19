import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { slugOf } from '../files/slug-of.js';
import { writeFileAtomic } from '../files/write-file-atomic.js';
import type { DamagedFile } from './list-entries.js';

/** What a text was made from. */
export interface KeptKey {
  /** The build that made it. */
  readonly build: string;
  /** sha256 (hex) of every input. */
  readonly inputs: string;
}

const FOLDER = 'calibrated';

/**
 * The file of a result that is kept in the cache, so that it need not be computed again while nothing changes that it
 * is made from. A name has one file, which the next result replaces: the folder does not grow with the number of runs.
 */
export function keptFile(cacheDir: string, name: string): string {
  return join(cacheDir, FOLDER, `${slugOf(name)}.json`);
}

/** The text that was kept with this key; null for none, for another key, and for a file that is damaged. */
export async function readKept(file: string, key: KeptKey): Promise<string | null> {
  const read = parseKept(await readFile(file).catch(() => null));
  return read?.text !== undefined && read.key?.build === key.build && read.key.inputs === key.inputs ? read.text : null;
}

/** Keeps a text. One that cannot be written costs the next run its time, and this one nothing. */
export async function keep(file: string, key: KeptKey, text: string): Promise<void> {
  const body = Buffer.from(text);
  const head = `${JSON.stringify({ schemaVersion: 1, ...key, sha256: sha256(body) })}\n`;
  await writeFileAtomic(file, Buffer.concat([Buffer.from(head), body])).catch(() => undefined);
}

export interface KeptResults {
  /** Those of other builds, which no run reads any more. */
  readonly outdated: readonly string[];
  readonly damaged: readonly DamagedFile[];
}

/**
 * Reads every kept result of a cache folder.
 *
 * @param build the builds whose results are not outdated begin with this; null: none is known
 */
export async function checkKept(cacheDir: string, build: string | null = null): Promise<KeptResults> {
  const folder = join(cacheDir, FOLDER);
  const files = (await readdir(folder).catch(() => [] as string[])).filter((name) => name.endsWith('.json')).sort();
  const [outdated, damaged]: [string[], DamagedFile[]] = [[], []];
  for (const file of files.map((name) => join(folder, name))) {
    const read = parseKept(await readFile(file).catch(() => null));
    if (read?.text === undefined) damaged.push({ file, reason: 'the checksum is that of other bytes' });
    else if (build === null || !read.key?.build.startsWith(build)) outdated.push(file);
  }
  return { outdated, damaged };
}

/** A line about the text, then the text; `text` undefined where they do not belong together. */
function parseKept(bytes: Buffer | null): { readonly key?: KeptKey; readonly text?: string } | null {
  if (bytes === null) return null;
  const end = bytes.indexOf('\n');
  const body = bytes.subarray(end + 1);
  try {
    const { schemaVersion, build, inputs, sha256: sum } = JSON.parse(bytes.toString('utf8', 0, end));
    const isSound = schemaVersion === 1 && sum === sha256(body);
    return { key: { build, inputs }, ...(isSound && { text: body.toString('utf8') }) };
  } catch {
    return {};
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
