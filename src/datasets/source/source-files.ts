import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type Fault, SupportCalError } from '../../errors/supportcal-error.js';
import { outsideFolders, reallyOutsideFolders } from '../../files/outside-folders.js';
import type { SourceFile } from '../../formats/row/source-row.js';
import { compareStrings } from '../../numeric/string-order.js';
import type { DatasetSpec } from '../example/dataset-spec.js';

/** A path of the YAML file, and the field that holds it. */
export interface WrittenPath {
  readonly text: string;
  readonly field: readonly (string | number)[];
}

/**
 * The files that paths and patterns name, in reading order: as written, the matches of one pattern in code-unit order,
 * none twice. Paths start at the folder of the YAML file. A name with `[` or `*` in it that exists is that file.
 *
 * A path must stay inside the project, however it is written, links followed: whoever shares a YAML file cannot make
 * others read, and show, their private files. What the command line names or allows may lie anywhere.
 *
 * @throws SupportCalError missing-file with every path that names no file, at its YAML line; bad-input for one that
 *   leaves the project
 */
export async function sourceFiles(spec: DatasetSpec, written: readonly WrittenPath[]): Promise<SourceFile[]> {
  const files = new Map<string, SourceFile>();
  const faults: Fault[] = [];
  for (const each of written) {
    const found = await filesOf(spec, each.text);
    for (const file of found) {
      if (!isAllowed(spec, each) && (await leavesProject(spec, file))) throw leaving(spec, each, file);
      files.set(file.path, file);
    }
    if (found.length === 0) faults.push(await noSuchFile(spec, each));
  }
  if (faults.length > 0) throw new SupportCalError('missing-file', faults);
  return [...files.values()];
}

/** Few commands look for files, and loading the package would take every start 5 ms. */
function patterns() {
  return import('tinyglobby');
}

async function filesOf(spec: DatasetSpec, text: string): Promise<SourceFile[]> {
  const named = sourceFile(spec, text);
  if (await exists(named.path)) return [named];
  const { glob, isDynamicPattern } = await patterns();
  if (!isDynamicPattern(text)) return [];
  // The part before the first wildcard is a folder by its plain name, which may itself hold `(` or `[`.
  const parts = text.replaceAll('\\', '/').split('/');
  const wild = parts.findIndex((part) => isDynamicPattern(part));
  const folder = sourceFile(spec, parts.slice(0, wild).join('/') || (text.startsWith('/') ? '/' : '.'));
  const names = await glob(parts.slice(wild).join('/'), { cwd: folder.path, expandDirectories: false });
  return names
    .sort(compareStrings)
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

function isAllowed({ outside = [] }: DatasetSpec, { text }: WrittenPath): boolean {
  return outside === 'all' || outside.includes(text);
}

/** The project: the folder of the YAML file, the one that this lies in, and the working directory. */
async function leavesProject(spec: DatasetSpec, file: SourceFile): Promise<boolean> {
  const own = path.resolve(path.dirname(spec.file));
  const parent = path.dirname(own);
  const folders = [own, process.cwd(), ...(parent === path.parse(parent).root ? [] : [parent])];
  return outsideFolders(file.path, folders) || reallyOutsideFolders(file.path, folders);
}

function leaving(spec: DatasetSpec, { field }: WrittenPath, file: SourceFile): SupportCalError {
  const ways = `if you mean that file, name it with --source ${spec.id}=FILE, or add --allow-outside`;
  const message = `${file.shown} lies outside the project, and a YAML file reaches nothing there by itself; ${ways}`;
  return new SupportCalError('bad-input', { file: spec.file, ...spec.locate(field), field: field.join('.'), message });
}

/** A missing file is a fault of the YAML line that names it. */
async function noSuchFile(spec: DatasetSpec, { text, field }: WrittenPath): Promise<Fault> {
  const { isDynamicPattern } = await patterns();
  const what = isDynamicPattern(text) ? 'no file matches this pattern' : 'no such file';
  const advice = 'correct the path, which starts at the folder of this YAML file';
  const message = `${sourceFile(spec, text).shown}: ${what}; ${advice}`;
  return { file: spec.file, ...spec.locate(field), field: field.join('.'), message };
}
