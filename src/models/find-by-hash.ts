import { stat } from 'node:fs/promises';
import { fileHashCached } from '../files/file-hash-cached.js';
import { modelParts } from './gguf/model-parts.js';
import { oneHash } from './hash-model-files.js';

/** A model file, or all parts of a split one, by content. */
export interface WantedContent {
  readonly sha256: string;
  /** null: not known. */
  readonly bytes: number | null;
}

/**
 * The first of the files that has the content, whatever its name; null: none has. A file of another size is not read.
 *
 * @param index file in which hashes are remembered
 */
export async function findByHash(
  { sha256, bytes }: WantedContent,
  files: readonly string[],
  index: string,
): Promise<string | null> {
  for (const file of files) {
    const parts = modelParts(file);
    const sizes = await Promise.all(parts.map(sizeOf));
    const total = sizes.reduce<number | null>((sum, size) => (sum === null || size === null ? null : sum + size), 0);
    if (total === null || (bytes !== null && total !== bytes)) continue;
    const hashes: string[] = [];
    for (const part of parts) hashes.push(await fileHashCached(part, index));
    if (oneHash(hashes) === sha256.toLowerCase()) return file;
  }
  return null;
}

async function sizeOf(file: string): Promise<number | null> {
  const found = await stat(file).catch(() => null);
  return found?.isFile() ? found.size : null;
}
