import { createHash } from 'node:crypto';
import type { SeenHashes } from '../../../contract/seen-hashes.js';
import type { RowValue } from '../../../formats/row/source-row.js';

/** A hash of values of a log, for logs that bring none of their own. */
export function logHash(values: readonly RowValue[]): string {
  const text = JSON.stringify(values, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
  return createHash('sha256').update(text).digest('hex');
}

/** Hashes as they are kept beside imported scores: short, whatever the log has. */
export function keptHashes({ document, target, prompt }: SeenHashes): SeenHashes {
  return { document: kept(document), target: kept(target), prompt: kept(prompt) };
}

/** Enough that two of a million rows differ by chance in one of ten million imports. */
const KEPT_CHARACTERS = 16;

function kept(hash: string | null): string | null {
  return hash === null ? null : createHash('sha256').update(hash).digest('hex').slice(0, KEPT_CHARACTERS);
}
