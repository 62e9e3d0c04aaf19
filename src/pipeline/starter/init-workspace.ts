import { access } from 'node:fs/promises';
import path from 'node:path';
import { starterFiles } from '../../config/starter-files.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { writeFileAtomic } from '../../files/write-file-atomic.js';

/**
 * `supportcal init`: a commented models.yaml and a data set to start from.
 *
 * @returns the written files
 * @throws SupportCalError usage when one of them is there already: nothing is written then; write-failed
 */
export async function initWorkspace(folder: string): Promise<string[]> {
  const files = [...starterFiles()].map(([name, text]) => ({ file: path.join(folder, name), text }));
  const there: string[] = [];
  for (const { file } of files) {
    await access(file).then(
      () => there.push(file),
      () => undefined,
    );
  }
  if (there.length > 0) {
    const message = 'is there already, and nothing was written; name another folder: supportcal init FOLDER';
    throw new SupportCalError(
      'usage',
      there.map((file) => ({ file, message })),
    );
  }
  for (const { file, text } of files) await writeFileAtomic(file, text);
  return files.map(({ file }) => file);
}
