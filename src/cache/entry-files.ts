import { join } from 'node:path';
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
