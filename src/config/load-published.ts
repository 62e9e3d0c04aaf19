import path from 'node:path';
import { nearest } from '../errors/nearest.js';
import { type Fault, SupportCalError } from '../errors/supportcal-error.js';
import { reallyOutsideFolders } from '../files/outside-folders.js';
import type { LoadedModels } from './load-models.js';
import { type PublishedFile, type PublishedTable, publishedSchema } from './published-schema.js';
import { checkSchema } from './yaml/check-schema.js';
import { readYamlFile } from './yaml/read-yaml-file.js';

export interface Published {
  readonly title: string;
  /** Path as models.yaml has it. */
  readonly file: string;
  readonly tables: readonly PublishedTable[];
  /** Empty unless the suite asks for them. */
  readonly diagnostics: PublishedFile['diagnostics'];
}

/**
 * The printed numbers that a suite names in `published`: all tables of the file, or those that it lists. null: none
 * named.
 *
 * @throws SupportCalError missing-file or bad-input
 */
export async function loadPublished(
  models: LoadedModels,
  suite: string,
  { allowOutside = false }: { readonly allowOutside?: boolean | undefined } = {},
): Promise<Published | null> {
  const written = models.suites[suite]?.published;
  if (written === undefined) return null;
  const folder = path.dirname(models.file);
  const file = path.isAbsolute(written.file) ? written.file : path.join(folder, written.file);
  const field = ['suites', suite, 'published', 'file'];
  const at = { file: models.file, ...models.locate(field), field: field.join('.') };
  if (!allowOutside && (await reallyOutsideFolders(file, [folder, process.cwd()]))) {
    const message = `${file} lies outside the project; add --allow-outside if you mean that file`;
    throw new SupportCalError('bad-input', { ...at, message });
  }
  const document = await readYamlFile(file).catch((error) => {
    if (!(error instanceof SupportCalError) || error.code !== 'missing-file') throw error;
    throw new SupportCalError('missing-file', { ...at, message: error.message }, { cause: error });
  });
  const { title, tables, diagnostics } = checkSchema(publishedSchema, document);
  const names = tables.map(({ name }) => name);
  const faults: Fault[] = (written.tables ?? []).flatMap((name, i) => {
    if (names.includes(name)) return [];
    const at = models.locate(['suites', suite, 'published', 'tables', i]);
    return [{ file: models.file, ...at, message: `${written.file} has no table "${name}"${nearest(name, names)}` }];
  });
  if (faults.length > 0) throw new SupportCalError('bad-input', faults);
  return {
    title,
    file: written.file,
    diagnostics: written.diagnostics ? diagnostics : [],
    tables: tables.filter(({ name }) => written.tables?.includes(name) ?? true),
  };
}
