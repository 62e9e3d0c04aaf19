import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { notThere } from '../../errors/not-there.js';
import { contentHash } from '../../files/content-hash.js';
import { writeFileAtomic } from '../../files/write-file-atomic.js';
import { type EntryKey, KEY_SCHEMA_VERSION, type KeyIngredients } from '../key/entry-key.js';

const FILE_NAME = 'entry.json';
const SCHEMA_VERSION = 1;

/** Says beside the parts what they are parts of, for as long as there is no manifest. */
export async function writePartKey(folder: string, key: EntryKey): Promise<void> {
  await writeFileAtomic(join(folder, FILE_NAME), textOf(KEY_SCHEMA_VERSION, key.ingredients));
}

/**
 * What the parts in a folder belong to. Any changed byte is found: the ingredients must give the entry's name, which
 * holds their hash, and the text must be exactly what `writePartKey` writes.
 */
export async function readPartKey(
  folder: string,
  entryName: string,
): Promise<{ readonly key: KeyIngredients } | { readonly file: string; readonly reason: string }> {
  const file = join(folder, FILE_NAME);
  try {
    const text = await readFile(file, 'utf8');
    const { keySchemaVersion, key } = JSON.parse(text);
    const hash = contentHash({ keySchemaVersion, ingredients: key }).slice(0, 12);
    if (textOf(keySchemaVersion, key) !== text || !entryName.endsWith(`-${hash}`)) throw new Error('another entry');
    return { key };
  } catch (error) {
    return { file, reason: notThere(error) ? 'the file is missing' : 'the file is cut or changed' };
  }
}

/** Why the parts in a folder are not read: another version of the tool wrote them. null: ours, or not told. */
export async function foreignVersion(folder: string): Promise<string | null> {
  const text = await readFile(join(folder, FILE_NAME), 'utf8').catch(() => '');
  const version = /"schemaVersion": (\d+)/.exec(text)?.[1];
  if (version === undefined || Number(version) === SCHEMA_VERSION) return null;
  return `the part has the unknown version ${version}`;
}

function textOf(keySchemaVersion: number, key: KeyIngredients): string {
  return `${JSON.stringify({ schemaVersion: SCHEMA_VERSION, keySchemaVersion, key }, null, 2)}\n`;
}
