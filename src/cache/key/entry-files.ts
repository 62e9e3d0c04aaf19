import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { removeFile } from '../../files/busy-files.js';
import type { EntryKey } from './entry-key.js';

/** Paths of one entry. Everything lives in the cache folder; `parts` is there only while the entry grows. */
export interface EntryFiles {
  readonly arrow: string;
  readonly manifest: string;
  readonly parts: string;
  readonly lockTarget: string;
}

export function entryFiles(cacheDir: string, key: Pick<EntryKey, 'name'>): EntryFiles {
  const base = join(cacheDir, key.name);
  return { arrow: `${base}.arrow`, manifest: `${base}.json`, parts: `${base}.parts`, lockTarget: base };
}

/** Removes the temporary files that killed writers of this entry left. Only the holder of its lock may call this. */
export async function removeTemporaryFiles(files: EntryFiles): Promise<void> {
  const folder = dirname(files.arrow);
  const prefix = `.${basename(files.lockTarget)}.`;
  for (const fileName of await readdir(folder)) {
    if (fileName.startsWith(prefix) && fileName.endsWith('.tmp')) await removeFile(join(folder, fileName));
  }
}
