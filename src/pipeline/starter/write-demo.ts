import { access, constants, copyFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEMO_MODELS, demoFiles } from '../../config/demo-files.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { renameFile } from '../../files/busy-files.js';
import { makeFolder } from '../../files/make-folder.js';
import { packageFile } from '../../files/own-files.js';
import { temporaryPath } from '../../files/temporary-path.js';
import { failedAt } from '../../files/write-failed.js';
import { writeFileAtomic } from '../../files/write-file-atomic.js';

/**
 * The project of `supportcal demo`: models and rows that the package ships, copied into a folder of the user, so that
 * every command works there. A folder that an earlier demo wrote is used again as it is.
 *
 * @throws SupportCalError usage when the folder holds another project; write-failed
 */
export async function writeDemo(folder: string): Promise<void> {
  const shipped = (name: string) => fileURLToPath(packageFile(name));
  const [yaml, rows] = await Promise.all(
    ['yaml', 'jsonl'].map((ending) => readFile(shipped(`datasets/demo-facts.${ending}`), 'utf8')),
  );
  const files = [...demoFiles(yaml ?? '', rows ?? '')].map(([name, text]) => ({ file: path.join(folder, name), text }));
  for (const { file, text } of files) {
    const there = await readFile(file, 'utf8').catch(() => null);
    if (there === null || there === text) continue;
    const message = 'is there already and is not of the demo; name another folder: supportcal demo FOLDER';
    throw new SupportCalError('usage', { file, message });
  }
  await makeFolder(path.join(folder, 'models'));
  for (const id of DEMO_MODELS)
    await copyOnce(shipped(`models/demo/${id}.gguf`), path.join(folder, `models/${id}.gguf`));
  for (const { file, text } of files) await writeFileAtomic(file, text);
}

async function copyOnce(from: string, to: string): Promise<void> {
  const isThere = await access(to).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  const temporary = temporaryPath(to);
  await copyFile(from, temporary, constants.COPYFILE_FICLONE).catch(failedAt(to));
  await renameFile(temporary, to).catch(failedAt(to));
}
