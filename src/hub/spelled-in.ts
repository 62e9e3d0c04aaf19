import path from 'node:path';

/** Part of a split model: `NAME-00001-of-00003.gguf`. */
const PART = /-(\d{5})-of-\d{5}(?=\.gguf$)/;

/**
 * The path under which a repository has a file: as it was asked for, else the only one of that name in another spelling
 * (`bf16` for `BF16`, `-` for `.`), whole, in parts, or in a folder of its own, as repositories keep files in 16 bits.
 * Of a model in parts it is the first one. Where there is no such file, or several, the path stays as it was asked for.
 */
export function spelledIn(paths: readonly string[], asked: string): string {
  if (paths.includes(asked)) return asked;
  const alike = paths.filter((each) => nameOf(each) === nameOf(asked) && (PART.exec(each)?.[1] ?? '00001') === '00001');
  const [only, ...others] = alike;
  return only !== undefined && others.length === 0 ? only : asked;
}

function nameOf(file: string): string {
  return path.posix.basename(file).replace(PART, '').toLowerCase().replaceAll(/[._]/g, '-');
}
