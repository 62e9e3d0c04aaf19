import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contentHash } from '../../files/content-hash.js';
import { writeFileAtomic } from '../../files/write-file-atomic.js';

const FILE_NAME = 'facts.json';

/** Keeps beside the parts what the model turned out to be: the run that completes the entry may load no model. */
export async function writePartFacts(folder: string, facts: unknown): Promise<void> {
  await writeFileAtomic(join(folder, FILE_NAME), `${JSON.stringify({ facts, checksum: contentHash(facts) })}\n`);
}

/** null when no earlier run left any, or the file is damaged: they describe, and no number depends on them. */
export async function readPartFacts(folder: string): Promise<unknown> {
  try {
    const { facts, checksum } = JSON.parse(await readFile(join(folder, FILE_NAME), 'utf8'));
    return contentHash(facts) === checksum ? facts : null;
  } catch {
    return null;
  }
}
