import { createHash } from 'node:crypto';
import type { Example } from './example.js';

/**
 * sha256 over what a row says: its fields by name (without empty ones and those in `leaveOut`: id, label and options,
 * which come on their own) and its option texts. The same row has the same hash from every file format.
 */
export function contentHash(
  fields: Readonly<Record<string, string>>,
  options: readonly string[],
  leaveOut: ReadonlySet<string>,
): string {
  const content: string[] = [];
  for (const name of Object.keys(fields).sort()) {
    const value = fields[name] ?? '';
    if (value !== '' && !leaveOut.has(name)) content.push(name, value);
  }
  return createHash('sha256')
    .update(JSON.stringify([content, options]))
    .digest('hex');
}

/** sha256 over ids, contents and labels of examples in id order, and over the named rules that were used. */
export function datasetHash(examples: readonly Example[], rules: readonly string[]): string {
  const hash = createHash('sha256');
  for (const { id, contentHash, label } of examples) hash.update(`${JSON.stringify([id, contentHash, label])}\n`);
  for (const rule of rules) hash.update(`${rule}\n`);
  return hash.digest('hex');
}
