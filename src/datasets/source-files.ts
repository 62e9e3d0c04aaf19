import { stat } from 'node:fs/promises';
import path from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
import { type Fault, SupportCalError } from '../errors/supportcal-error.js';
import { compare } from './assign-ids.js';
import type { DatasetSpec } from './dataset-spec.js';
import type { SourceFile } from './source-row.js';

/** A path of the YAML file, and the field that holds it. */
export interface WrittenPath {
  readonly text: string;
  readonly field: readonly (string | number)[];
}

/**
 * The files that paths and patterns name, in reading order: as written, the matches of one pattern in code-unit order,
 * none twice. Paths start at the folder of the YAML file. A name with `[` or `*` in it that exists is that file.
 *
 * @throws SupportCalError missing-file with every path that names no file, at its YAML line
 */
export async function sourceFiles(spec: DatasetSpec, written: readonly WrittenPath[]): Promise<SourceFile[]> {
  const files = new Map<string, SourceFile>();
  const faults: Fault[] = [];
  for (const each of written) {
    const found = await filesOf(spec, each.text);
    for (const file of found) files.set(file.path, file);
    if (found.length === 0) faults.push(noSuchFile(spec, each));
  }
  if (faults.length > 0) throw new SupportCalError('missing-file', faults);
  return [...files.values()];
}

async function filesOf(spec: DatasetSpec, text: string): Promise<SourceFile[]> {
  const named = sourceFile(spec, text);
  if (await exists(named.path)) return [named];
  if (!isDynamicPattern(text)) return [];
  // The part before the first wildcard is a folder by its plain name, which may itself hold `(` or `[`.
  const parts = text.replaceAll('\\', '/').split('/');
  const wild = parts.findIndex((part) => isDynamicPattern(part));
  const folder = sourceFile(spec, parts.slice(0, wild).join('/') || (text.startsWith('/') ? '/' : '.'));
  const names = await glob(parts.slice(wild).join('/'), { cwd: folder.path, expandDirectories: false });
  return names
    .sort(compare)
    .map((name) => ({ path: path.join(folder.path, name), shown: path.join(folder.shown, name) }));
}

function sourceFile(spec: DatasetSpec, written: string): SourceFile {
  const shown = path.isAbsolute(written) ? written : path.join(path.dirname(spec.file), written);
  return { path: path.resolve(shown), shown };
}

/** Anything but "there is none" is found out, and told, by opening the file. */
async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  );
}

/** A missing file is a fault of the YAML line that names it. */
function noSuchFile(spec: DatasetSpec, { text, field }: WrittenPath): Fault {
  const what = isDynamicPattern(text) ? 'no file matches this pattern' : 'no such file';
  const message = `${sourceFile(spec, text).shown}: ${what}; correct the path, which starts at the folder of this YAML file`;
  return { file: spec.file, ...spec.locate(field), field: field.join('.'), message };
}
