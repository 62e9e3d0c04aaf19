import { contentHash } from '../../files/content-hash.js';
import { entryKey, type KeyIngredients } from './entry-key.js';

export type ImportUnit = 'logits' | 'logprobs' | 'probabilities';

/**
 * `<name>.json`: what an entry is, in words, and the checksum of its Arrow file. Written last: it makes the entry
 * valid.
 */
export interface Manifest {
  readonly schemaVersion: 1;
  readonly name: string;
  readonly keyHash: string;
  readonly key: KeyIngredients;
  readonly model: string;
  readonly dataset: string;
  readonly rows: number;
  readonly ok: number;
  readonly failed: number;
  /** File name in the same folder. */
  readonly arrowFile: string;
  readonly arrowBytes: number;
  /** sha256 (hex) of the Arrow file. */
  readonly checksum: string;
  readonly createdAt: string;
  /** What the loaded model turned out to be (`ModelFacts`), or of an import its unit and source. */
  readonly facts: unknown;
}

/** The manifest's text; its last field is a checksum of the others. */
export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify({ ...manifest, manifestChecksum: contentHash(manifest) }, null, 2)}\n`;
}

/**
 * The manifest in a text. Any changed byte is found: the checksum covers every value, and the text must be exactly
 * what `manifestText` writes.
 *
 * @throws Error with a plain reason
 */
export function parseManifest(text: string): Manifest {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error('the manifest is cut or no JSON', { cause });
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Error('the manifest is no object');
  const { manifestChecksum, ...rest } = value;
  const manifest = rest as unknown as Manifest;
  if (
    typeof manifestChecksum !== 'string' ||
    contentHash(rest) !== manifestChecksum ||
    manifestText(manifest) !== text
  ) {
    throw new Error('the manifest does not match its own checksum');
  }
  if (manifest.schemaVersion !== 1) throw new Error(`the manifest has the unknown version ${manifest.schemaVersion}`);
  if (entryKey(manifest.key).hash !== manifest.keyHash) throw new Error('the manifest names another key than its own');
  return manifest;
}
