import { describe, expect, it } from 'vitest';
import { csvCell, csvText, EXPORT_MARK, undefuse } from '../../src/files/csv-cell.js';

describe('a cell of CSV', () => {
  it.each([
    ['plain', 'plain'],
    ['=1+1', "'=1+1"],
    [' @x', "' @x"],
    ["'-2", "''-2"],
    ["it's", "it's"],
    ['x=1', 'x=1'],
    ["'quoted'", "'quoted'"],
    ['a,b', '"a,b"'],
    ['a;b', '"a;b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
    [' x', '" x"'],
    ['x ', '"x "'],
    ['', ''],
  ])('%j is written as %j and reads back as it was', (text, cell) => {
    expect(csvCell(text)).toBe(cell);
    const read = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
    expect(undefuse(read)).toBe(text);
  });

  it('keeps numbers, truth values and nothing as they are, a line each row', () => {
    expect(csvText([[-0.4, 1e-7, true, null], ['a']])).toBe('-0.4,1e-7,true,\na\n');
  });

  it('marks a file whose text cells are all defused by a name that earlier releases wrote too', () => {
    expect(EXPORT_MARK).toBe('supportcal');
  });
});
