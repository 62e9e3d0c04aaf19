import path from 'node:path';
import { outsideFolders } from '../../files/outside-folders.js';
import type { DatasetSpec } from '../example/dataset-spec.js';
import { csvSettings } from './open-source.js';

/** Files in place of the source of a data set: one file (or pattern) of rows, or paired text files by field. */
export type SourceOverride = string | Readonly<Record<string, string>>;

/**
 * The specification with local files, named from the working directory, as its source. What chooses rows (filter,
 * limit, sample; how csv files are written) stays as the YAML has it.
 */
export function overrideSource<T extends DatasetSpec>(spec: T, override: SourceOverride): T {
  const from = (file: string) =>
    // Said on the command line, a file may lie anywhere.
    path.isAbsolute(file) || outsideFolders(file, [process.cwd()])
      ? path.resolve(file)
      : path.relative(path.dirname(path.resolve(spec.file)), path.resolve(file));
  const own = typeof spec.yaml.source === 'object' ? spec.yaml.source : {};
  const { filter, limit, sample, rows, layout, explode } = own;
  const files =
    typeof override === 'string'
      ? { path: from(override) }
      : { files: Object.fromEntries(Object.entries(override).map(([field, file]) => [field, from(file)])) };
  const named = 'path' in files ? [files.path] : Object.values(files.files);
  const outside = spec.outside === 'all' ? spec.outside : [...(spec.outside ?? []), ...named];
  const source = { ...files, filter, limit, sample, rows, layout, explode, ...csvSettings(own) };
  return { ...spec, outside, yaml: { ...spec.yaml, source } };
}
