import { describe, expect, it } from 'vitest';
import { formatOf } from '../../../src/formats/format-of.js';
import { formatNamed } from '../../../src/formats/format-table.js';
import { readRows } from '../../../src/formats/read-rows.js';
import { FaultList } from '../../../src/formats/row/fault-list.js';
import { type Expected, foreignContent } from '../../../src/formats/text/foreign-content.js';
import { refusal, temporaryFolder } from '../../datasets/temporary-spec.js';

const folder = temporaryFolder();
const said = (text: string, expected: Expected = 'rows') => foreignContent(Buffer.from(text, 'latin1'), expected);

describe('foreignContent', () => {
  it.each([
    ['PAR1\x15\x04', /^is Parquet; name it .parquet, or write `format: parquet`$/],
    ['ARROW1\0\0\xff', /^is Arrow; /],
    ['\xff\xff\xff\xff\x10', /^is Arrow; /],
    ['PK\x03\x04 and then a.jsonl', /^is a zip archive; unpack it$/],
    [`PK\x03\x04${'\0'.repeat(26)}[Content_Types].xml`, /^is a spreadsheet; save it as CSV/],
    ['BZh91AY&SY', /bzip2; unpack it, or pack it with gzip/],
    ['\xfd7zXZ\0', /packed with xz/],
    ['\x28\xb5\x2f\xfd', /packed with zstd/],
    ['SQLite format 3\0', /SQLite/],
    ['\x80\x04\x95', /pickle/],
    ['version https://git-lfs.github.com/spec/v1\noid', /pointer of git-lfs, not the file itself; run `git lfs pull`/],
    ['<!DOCTYPE html>', /^is a web page/],
    ['\xef\xbb\xbf\n <HTML>', /^is a web page/],
  ])('says what %j is, and what to do', (text, message) => {
    expect(said(text)).toMatch(message);
    expect(said(text, 'parquet') === null).toBe(text.startsWith('PAR1'));
  });

  it.each([
    '',
    'id,question',
    '{"a": 1}',
    '[',
    'PAR1,score',
    'BZh is a name',
    'PK',
    '\x1f\x8b\x08',
    '\xef\xbb\xbfid',
    '<b>q</b>',
  ])('says nothing of rows that begin with %j', (text) => expect(said(text)).toBeNull());

  it('takes lines of a web page for text, an archive for one of JSON files, and says how no Parquet begins', () => {
    expect(said('<html>', 'text')).toBeNull();
    expect(said('PK\x03\x04', 'zip')).toBeNull();
    expect(said('id,question', 'parquet')).toBe(
      'is no Parquet, which begins with "PAR1"; this begins with "id,question"; correct its ending, or write `format:`',
    );
    expect([said('\x1f\x8b', 'parquet'), said('', 'parquet'), said('\x10\0\0\0', 'arrow')]).toEqual([null, null, null]);
  });
});

describe('a file whose name tells no format', () => {
  const format = (name: string) => formatOf({ path: name.startsWith('/') ? name : folder.write(name, ''), shown: 'x' });

  it.each([
    ['missing', '/nowhere/rows', /no such file/],
    ['a folder', import.meta.dirname, /is not a regular file/],
    ['empty', 'rows', /has no rows: it is empty/],
  ])('is refused as what it is: %s', async (_, name, message) => {
    await expect(format(name)).rejects.toThrow(message);
  });

  it('is refused for its name alone where nothing else is wrong', async () => {
    const shown = 'rows';
    await expect(formatOf({ path: folder.write('named', 'id,q\n'), shown })).rejects.toThrow(
      /^rows: its name has no ending that tells the format; write `format:`/,
    );
    await expect(formatOf({ path: folder.write('a.foo', 'id,q\n'), shown })).rejects.toThrow(
      /the ending ".foo" does not/,
    );
    await expect(formatOf({ path: folder.write('a.xz', Buffer.from('\xfd7zXZ\0', 'latin1')), shown })).rejects.toThrow(
      /xz/,
    );
  });
});

it('refuses rows of a named format by what the file is in fact', async () => {
  const file = {
    path: folder.write('lfs.csv', 'version https://git-lfs.github.com/spec/v1\noid x\n'),
    shown: 'lfs.csv',
  };
  const rows = readRows({ file, format: formatNamed('csv'), options: {} }, new FaultList());
  expect(await refusal(rows.next())).toEqual([
    'bad-input lfs.csv - -: is a pointer of git-lfs, not the file itself; run `git lfs pull`',
  ]);
});
