import { FORMATS } from '../formats/format-table.js';
import type { ListedFile } from './hub-repository.js';

/** Formats that the files of a split may have, the preferred first: binary tables carry the types of their columns. */
const SPLIT_FORMATS = (['binary', 'text'] as const).flatMap((kind) =>
  FORMATS.filter(({ rows, holdsSplits }) => holdsSplits && rows.kind === kind).map(({ name }) => name),
);

/**
 * The files that hold one split, by the names that the hub gives them: `data/test-00000-of-00001.parquet`,
 * `<config>/test-*.parquet`, `<config>/test/0000.parquet`, `test.jsonl`, `data/test.csv.gz` and the like. Without a
 * config the folders `data` and `default` and the top are looked into. Of several forms the first of Parquet, Arrow,
 * JSON Lines, JSON, CSV, TSV is taken.
 *
 * @returns files in name order, none when there are none; or what is wrong with them
 */
export function splitFiles(
  files: readonly ListedFile[],
  split: string,
  config: string | undefined,
): ListedFile[] | { readonly fault: string } {
  const folders = config === undefined || config === 'default' ? ['data/', 'default/', ''] : [`${config}/`];
  for (const format of SPLIT_FORMATS) {
    for (const folder of folders) {
      const name = new RegExp(
        `^${escaped(folder)}${escaped(split)}(?:(?:-(\\d+)-of-(\\d+)(?:-[0-9a-f]+)?)?|/[^/]+)\\.${format}(?:\\.gz)?$`,
      );
      const found = files.filter((file) => name.test(file.path));
      if (found.length === 0) continue;
      const total = Number(name.exec(found[0]?.path ?? '')?.[2] ?? found.length);
      if (total !== found.length) return { fault: `${found.length} of ${total} files of split "${split}" are there` };
      return found;
    }
  }
  return [];
}

/** A file of rows: its folder, and the name of the split without the number of the file. */
const SPLIT_FILE = new RegExp(
  `^(?:(.+)/)?([^/]+?)(?:-\\d+-of-\\d+(?:-[0-9a-f]+)?)?\\.(?:${SPLIT_FORMATS.join('|')})(?:\\.gz)?$`,
);

/** Names of splits (with their config) that a listing has, for messages. */
export function splitNames(files: readonly ListedFile[]): string[] {
  const names = files.flatMap(({ path }) => {
    const match = SPLIT_FILE.exec(path);
    if (match === null) return [];
    const [, folder = '', name = ''] = match;
    // `config/split/0000.parquet`: the folder is the split.
    return [/^\d+$/.test(name) ? folder : folder === '' || folder === 'data' ? name : `${folder}/${name}`];
  });
  return [...new Set(names)];
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
