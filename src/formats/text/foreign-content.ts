const SPREADSHEET = /xl\/|\[Content_Types\]/;
const UNPACK = 'unpack it, or pack it with gzip';

/** What begins like something else than rows, what it is, and what to do with it. Bytes are given as Latin-1. */
const FOREIGN: ReadonlyArray<readonly [begins: readonly string[], what: string, advice: string, holds?: RegExp]> = [
  [['PAR1\x15'], 'Parquet', 'name it .parquet, or write `format: parquet`'],
  [['PARE'], 'encrypted Parquet', 'write it again without encryption'],
  [['ARROW1\0\0', '\xff\xff\xff\xff'], 'Arrow', 'name it .arrow, or write `format: arrow`'],
  [['PK\x03\x04'], 'a spreadsheet', 'save it as CSV (UTF-8)', SPREADSHEET],
  [['PK\x03\x04'], 'a zip archive', 'unpack it'],
  [Array.from('123456789', (level) => `BZh${level}1AY&SY`), 'packed with bzip2', UNPACK],
  [['\xfd7zXZ\0'], 'packed with xz', UNPACK],
  [['\x28\xb5\x2f\xfd'], 'packed with zstd', UNPACK],
  [['\x04\x22\x4d\x18'], 'packed with lz4', UNPACK],
  [['7z\xbc\xaf\x27\x1c'], 'a 7z archive', 'unpack it'],
  [['\xd0\xcf\x11\xe0'], 'a file of an old Office program', 'save it as CSV (UTF-8)'],
  [['SQLite format 3\0'], 'a SQLite database', 'write its rows as JSON Lines'],
  [['\x89HDF\r\n'], 'HDF5', 'write its rows as Parquet or JSON Lines'],
  [['\x80\x02', '\x80\x03', '\x80\x04', '\x80\x05'], 'a Python pickle', 'write its rows as JSON Lines'],
  [['GGUF\x02\0', 'GGUF\x03\0'], 'a model (GGUF)', 'name a file of rows'],
  [['%PDF-'], 'a PDF', 'name a file of rows'],
  [['version https://git-lfs.github.com/spec'], 'a pointer of git-lfs, not the file itself', 'run `git lfs pull`'],
];

/** How the formats begin that are no text. */
const OWN: Readonly<Partial<Record<Expected, readonly string[]>>> = {
  parquet: ['PAR1'],
  arrow: ['ARROW1', '\xff\xff\xff\xff'],
  zip: ['PK'],
};

const WEB_PAGE = /^(\xef\xbb\xbf)?\s*<(!doctype html|html)\b/i;

/** As what a file is to be read; `zip` is an archive of JSON files. */
export type Expected = 'parquet' | 'arrow' | 'zip' | 'text' | 'rows';

/** Bytes of a file that are looked at. */
export const LOOKED_AT = 1024;

/**
 * What a file is, and what to do, where its first bytes say that it holds no rows of the kind that its name promises;
 * null where they may.
 *
 * @param expected the format as which it is to be read
 */
export function foreignContent(beginning: Uint8Array, expected: Expected): string | null {
  const bytes = Buffer.from(beginning.subarray(0, LOOKED_AT)).toString('latin1');
  const begin = (start: string) => bytes.startsWith(start);
  if (OWN[expected]?.some(begin)) return null;
  const found = FOREIGN.find(([begins, , , holds]) => begins.some(begin) && (holds?.test(bytes) ?? true));
  const [, what, advice] = found ?? [];
  if (what !== undefined) return `is ${what}; ${advice}`;
  // Lines of text may be those of a web page.
  if (expected !== 'text' && WEB_PAGE.test(bytes))
    return 'is a web page (HTML), such as an error or a login; fetch the file again';
  if (expected !== 'parquet' || bytes === '' || begin('\x1f\x8b')) return null;
  const shown = JSON.stringify(Buffer.from(beginning.subarray(0, 12)).toString('utf8'));
  return `is no Parquet, which begins with "PAR1"; this begins with ${shown}; correct its ending, or write \`format:\``;
}
