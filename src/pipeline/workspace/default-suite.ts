import { readModels } from '../../config/load-models.js';

/**
 * The suite of a command that names none: the only one of the file, else `usual`. A file that cannot be read has
 * `usual` too: the command that needs the file says what is wrong with it.
 */
export async function defaultSuite(modelsFile: string, usual: string): Promise<string> {
  const names = await readModels(modelsFile).then(
    ({ models }) => Object.keys(models.suites),
    () => [],
  );
  const [only] = names;
  return names.length === 1 && only !== undefined ? only : usual;
}
