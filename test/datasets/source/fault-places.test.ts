import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readImportedLogits } from '../../../src/datasets/logits/read-imported-logits.js';
import { formatFault } from '../../../src/errors/supportcal-error.js';
import { FaultList } from '../../../src/formats/row/fault-list.js';
import { refused, temporaryFolder } from '../temporary-spec.js';

const folder = temporaryFolder();
const fields = { id: 'id', options: { columns: ['a', 'b'] }, label: { field: 'label', labelBase: 0 } };

/** The faults of a load as `line:column` and what stands there in the file. */
async function places(name: string, text: string, yaml: object = {}, source: object = {}) {
  folder.write(name, text);
  const error = await refused(folder.load({ source: { path: name, ...source }, fields, ...yaml }));
  const rows = text.replace(/^\ufeff/, '').split('\n');
  return error.faults.map(({ line, column, field }) => {
    return [`${line}:${column}`, field, rows[line! - 1]!.slice(column! - 1).slice(0, 4)];
  });
}

describe('faults of rows have line and column of the value', () => {
  it.each<[string, string, string, unknown[]]>([
    [
      'JSON Lines, a field that is there twice in nested objects, an emoji before it',
      'a.jsonl',
      '{"id": "r1", "a": "x", "b": "y", "label": 0}\n{"id": "😀", "n": {"label": 3}, "a": "x", "b": "y", "label": 7}\n',
      [['2:62', 'label', '7}']],
    ],
    [
      'a missing field: where the row begins',
      'b.jsonl',
      '{"id":"r1","a":"x","b":"y","label":0}\n {"id":"r2","a":"x","label":0}\n',
      [['2:2', 'b', '{"id']],
    ],
    [
      'a line that is no JSON',
      'c.jsonl',
      '{"id":"r1","a":"x","b":"y","label":0}\n{"id": oops}\n',
      [['2:8', undefined, 'oops']],
    ],
    [
      'several rows on one line',
      'd.json',
      '[{"id":"r1","a":"x","b":"y","label":5},{"id":"r2","a":"x","b":"","label":6}]',
      [
        ['1:37', 'label', '5},{'],
        ['1:63', 'b', '"","'],
      ],
    ],
    [
      'an indented array',
      'e.json',
      '[\n  {\n    "id": "r1",\n    "a": "x",\n    "b": "y",\n    "label": 5\n  },\n  7\n]\n',
      [
        ['6:14', 'label', '5'],
        ['8:3', undefined, '7'],
      ],
    ],
    [
      'CSV, BOM and CRLF, line breaks and quotes in the cells before',
      'f.csv',
      '\ufeff"id",a,b,label\r\nr1,x,y,0\r\nr2,"x, ""1""\r\nor",y,7\r\n\r\nr3,"a\r\nb",y,0\r\nr4,x,y,8\r\n',
      [
        ['4:7', 'label', '7\r'],
        ['8:8', 'label', '8\r'],
      ],
    ],
    [
      'CSV whose header begins after empty lines, with a comma, a quote and a line break in names',
      'j.csv',
      '\r\n\r\nid,"to, do","so ""x""\nor",a,b,label\r\nr1,"1, 2","1\n2",x,y,0\r\n"r,2",1,"1\n2",x,,0\r\n',
      [['8:6', 'b', ',0\r']],
    ],
    ['TSV', 'g.tsv', 'id\ta\tb\tlabel\nr1\tx\t\t0\n', [['2:6', 'b', '\t0']]],
    ['CSV with a row of another length', 'h.csv', 'id,a,b,label\nr1,x,y,0\nr2,x\n', [['3:1', undefined, 'r2,x']]],
    ['CSV with an open quote', 'i.csv', 'id,a,b,label\nr1,x,"y,0\n', [['2:6', 'b', '"y,0']]],
  ])('%s', async (_, name, text, expected) => {
    expect(await places(name, text)).toEqual(expected);
  });

  it('also below an object, in a list, and in a CSV without a header line', async () => {
    const nested = { ...fields, options: 'o.texts', label: { field: 'o.label', labelBase: 0 } };
    const row = '{"id":"r1","o":{"texts":["x",{"y":1}],"label":4}}\n';
    expect(await places('n.jsonl', row, { fields: nested })).toEqual([['1:25', 'o.texts', '["x"']]);
    expect(await places('o.jsonl', row.replace('{"y":1}', '"y"'), { fields: nested })).toEqual([
      ['1:43', 'o.label', '4}}'],
    ]);
    const text = { header: undefined, quote: 'none' };
    expect(await places('q.tsv', '"id"\tid\ta\tb\tlabel\n"1\tr1\t\ty\t0\n', {}, text)).toEqual([
      ['2:7', 'a', '\ty\t0'],
    ]);
    expect(await places('p.csv', 'r1,x,y,9\n', {}, { header: ['id', 'a', 'b', 'label'] })).toEqual([
      ['1:8', 'label', '9'],
    ]);
  });

  it('bytes that are no UTF-8: the character after the last sound one', async () => {
    for (const name of ['u.jsonl', 'u.csv', 'u.json']) {
      folder.write(name, Buffer.from('id,a\nr1,\u00e4\xff\n', 'latin1'));
      const error = await refused(folder.load({ source: name, fields }));
      const fault = error.faults.at(-1)!;
      expect([name, fault.line, fault.column]).toEqual([name, 2, 4]);
    }
  });

  it('a binary table has no lines: the number of the row stands beside its id', async () => {
    const name = 'rows-snappy.parquet';
    folder.write(name, readFileSync(path.join(import.meta.dirname, '..', 'fixtures', name)));
    const yaml = { id: 'key', options: 'choices', label: { field: 'answer', labelBase: 0 } };
    const error = await refused(folder.load({ source: name, fields: yaml }));
    expect(error.message).toMatch(/rows-snappy\.parquet: answer: row \S+ \(number \d\): the label/);
  });

  it('imported scores, too', async () => {
    const file = folder.write('scores.jsonl', '{"id":"a","logits":[1,2]}\n{"id":"b","logits":"none","label":1}\n');
    const error = await refused(readImportedLogits(file, { unit: 'logits' }));
    expect(error.faults.map(formatFault)).toEqual([
      expect.stringMatching(/scores\.jsonl:2:20: logits: row b: expected a list/),
    ]);
  });
});

describe('a list of faults', () => {
  const outOfRange = (n: number) => ({
    file: 'x.jsonl',
    line: n,
    field: 'cop',
    row: `r${n}`,
    number: n,
    message: `the label ${n % 7} is out of range; expected 0 to 3`,
  });

  it('shows the first of a kind and counts the others, with the places of some', () => {
    const faults = new FaultList();
    for (let n = 1; n <= 4137; n++) faults.add(outOfRange(n));
    faults.add({ file: 'x.jsonl', line: 9, field: 'a', message: 'option 1 is empty' });
    const { list } = faults;
    expect(faults.count).toBe(4138);
    expect(list.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6, 9]);
    expect(list[5]!.message).toMatch(/^and 4,132 more rows like it, lines 6, 7, 8, .*, 25, \.\.\.$/);
  });

  it('counts the kinds that are too many to show', () => {
    const faults = new FaultList(2);
    for (const field of ['a', 'b', 'c', 'c']) faults.add({ file: 'x', field, message: 'is wrong' });
    expect(faults.list.map(({ field, message }) => [field, message])).toEqual([
      ['a', 'is wrong'],
      ['b', 'is wrong'],
      [undefined, 'and 2 more faults of other kinds'],
    ]);
  });
});
