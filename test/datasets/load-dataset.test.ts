import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { datasetSchema } from '../../src/config/dataset-schema.js';
import type { DatasetSpec } from '../../src/datasets/example/dataset-spec.js';
import type { Dataset } from '../../src/datasets/example/example.js';
import { loadDataset } from '../../src/datasets/load-dataset.js';
import { lines, refusal, temporaryFolder } from './temporary-spec.js';

const folder = temporaryFolder();
const fixtures = path.join(import.meta.dirname, 'fixtures');

const FIELDS = { id: 'id', options: 'options', label: 'answer' };
const row = (n: number, answer: unknown = 'A', options: unknown[] = ['one', 'two', 'three']) => ({
  id: `r${n}`,
  question: `question ${n}?`,
  options,
  answer,
});

function loadRows(rows: readonly unknown[], yaml: Record<string, unknown> = {}): Promise<Dataset> {
  folder.write('rows.jsonl', lines(rows));
  return folder.load({ source: 'rows.jsonl', fields: FIELDS, ...yaml });
}

const labelsOf = (dataset: Dataset) => dataset.examples.map((example) => example.label);

describe('sources', () => {
  const fields = { id: 'key', options: 'choices', label: { field: 'answer', labelBase: 1 } };
  const open = (name: string) => folder.load({ source: { path: path.join(fixtures, name) }, fields });

  it.each([
    ...['none', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4'].map((codec) => `rows-${codec}.parquet`),
    ...['uncompressed', 'lz4', 'zstd'].map((codec) => `rows-${codec}.feather`),
    'rows-stream.arrow',
  ])('%s gives the same examples and hash as the same rows in JSON Lines', async (name) => {
    const expected = await open('rows.jsonl');
    expect(expected.examples.map((example) => example.id)).toEqual(['7', '8', '9007199254740992', '9007199254740993']);
    expect(labelsOf(expected)).toEqual([1, null, 0, 1]);
    const table = await open(name);
    expect(table).toEqual(expected);
  });

  it('reads the same rows from a JSON array and from CSV with a JSON list in a cell', async () => {
    const expected = await open('rows.jsonl');
    const text = readFileSync(path.join(fixtures, 'rows.jsonl'), 'utf8').trim();
    const array = `[\n${text.split('\n').join(',\n')}\n]`;
    folder.write('rows.json', array);
    expect(await folder.load({ source: 'rows.json', fields })).toEqual(expected);
    const quoted = (value: unknown) => `"${String(value).replaceAll('"', '""')}"`;
    const raw = text.split('\n').map((line) => /"key": (\d+)/.exec(line)![1]!);
    const cells = text.split('\n').map((line, n) => {
      const { q, choices, answer, note } = JSON.parse(line);
      return [raw[n], q, JSON.stringify(choices), answer ?? '', note ?? ''].map(quoted).join(',');
    });
    folder.write('rows.csv', `\ufeffkey,q,choices,answer,note\r\n${cells.join('\r\n')}\r\n`);
    const table = await folder.load({ source: 'rows.csv', fields });
    expect(table.hash).toBe(expected.hash);
    expect(table.examples.map((example) => example.options)).toEqual(
      expected.examples.map((example) => example.options),
    );
  });

  it('gives a row the same content id from every format', async () => {
    const idless = { options: 'choices', label: { field: 'answer', labelBase: 1 } };
    const load = (name: string) => folder.load({ source: { path: path.join(fixtures, name) }, fields: idless });
    const ids = (await load('rows.jsonl')).examples.map((example) => example.id);
    expect(ids.every((id) => /^[0-9a-f]{16}$/.test(id))).toBe(true);
    expect((await load('rows-zstd.parquet')).examples.map((example) => example.id)).toEqual(ids);
  });

  it.each(['odd-columns.parquet', 'odd-columns.feather'])(
    '%s: unmarked text is text, decimals and dates are exact text, other bytes are no text',
    async (name) => {
      const yaml = (template: string) => ({
        source: { path: path.join(fixtures, name) },
        fields: { id: 'id', options: { labels: ['a', 'b'] } },
        prompt: { template },
      });
      const [, second] = (await folder.load(yaml('{q} {options}'))).examples;
      expect(second!.fields).toMatchObject({
        q: 'Größe 1?',
        price: '-123456789012345678.05',
        at: '2020-01-02T03:04:05.000Z',
        'image.bytes': '2',
      });
      expect(await refusal(folder.load(yaml('{image} {options}')))).toEqual([
        expect.stringMatching(
          /trial\.yaml:3 prompt\.template -: in every row the field "image" is binary data \(2 bytes\)/,
        ),
      ]);
      expect(
        await refusal(folder.load({ ...yaml('{q} {options}'), fields: { id: 'image', options: 'q' } })),
      ).toContainEqual(expect.stringMatching(/image 1: an id must be a text or a number, found binary data/));
    },
  );

  it('takes JSON Lines under the ending .json, declared or not', async () => {
    folder.write('odd.json', lines([row(1), row(2, 'B')]));
    expect((await folder.load({ source: 'odd.json', fields: FIELDS })).examples).toHaveLength(2);
    expect(
      (await folder.load({ source: { path: 'odd.json', format: 'jsonl' }, fields: FIELDS })).examples,
    ).toHaveLength(2);
    expect(await refusal(folder.load({ source: { path: 'odd.json', format: 'json' }, fields: FIELDS }))).toEqual([
      expect.stringMatching(/odd\.json:1 .*format: jsonl/),
    ]);
  });

  it('says which format to write when neither ending nor beginning tells', async () => {
    folder.write('rows.dat', 'id,choices,answer\nr1,"[""a"",""b""]",a\n');
    const fields = { id: 'id', options: 'choices', label: { field: 'answer', as: 'text' } };
    expect(await refusal(folder.load({ source: 'rows.dat', fields }))).toEqual([expect.stringContaining('`format:`')]);
    expect((await folder.load({ source: { path: 'rows.dat', format: 'csv' }, fields })).examples).toHaveLength(1);
  });

  it('refuses a damaged Parquet file by name', async () => {
    const bytes = readFileSync(path.join(fixtures, 'rows-snappy.parquet'));
    folder.write('cut.parquet', bytes.subarray(0, bytes.length - 20));
    expect(await refusal(folder.load({ source: 'cut.parquet', fields }))).toEqual([
      expect.stringContaining('cut.parquet - -: cannot be read as Parquet'),
    ]);
  });

  it('reports a missing source at the line of the YAML file that names it, with its path as written', async () => {
    expect(await refusal(folder.load({ source: 'gone.jsonl', fields: FIELDS }))).toEqual([
      expect.stringMatching(/^missing-file trial\.yaml:\d+ source .*gone\.jsonl: no such file/),
    ]);
  });

  it('reads only the first rows when a limit is set', async () => {
    folder.write('rows.jsonl', lines([row(3), row(1), row(2)]));
    const dataset = await folder.load({ source: { path: 'rows.jsonl', limit: 2 }, fields: FIELDS });
    expect(dataset.examples.map((example) => example.id)).toEqual(['r1', 'r3']);
  });

  it('refuses a file without rows', async () => {
    expect(await refusal(loadRows([]))).toEqual([expect.stringContaining('has no rows')]);
  });
});

describe('JSON Lines', () => {
  it('keeps U+2028, U+2029 and U+0085 inside one row', async () => {
    const dataset = await loadRows([{ ...row(1), question: 'a\u2028b\u2029c\u0085d' }]);
    expect(dataset.examples[0]!.fields.question).toBe('a\u2028b\u2029c\u0085d');
  });

  it('reports every broken line with its number and byte offset', async () => {
    const good = JSON.stringify(row(1));
    folder.write('rows.jsonl', `${good}\n{"id": "ü", "x": \n\n[1]\n{"id":"r2","id":"r3"}\n{"id":"\\ud800"}\n`);
    const faults = await refusal(folder.load({ source: 'rows.jsonl', fields: FIELDS }));
    expect(faults).toEqual([
      expect.stringMatching(/rows\.jsonl:2 .*not valid JSON/),
      expect.stringMatching(/rows\.jsonl:4 .*one JSON object on each line/),
      expect.stringMatching(/rows\.jsonl:5 .*"id" stands twice/),
      expect.stringMatching(/rows\.jsonl:6 .*surrogate/),
    ]);
    const before = Buffer.byteLength(`${good}\n`);
    expect(faults[0]).toContain(`byte offset ${before + Buffer.byteLength('{"id": "ü", "x": ')}`);
  });

  it('keeps a field called __proto__ as data', async () => {
    folder.write('rows.jsonl', '{"id":"a","__proto__":"p","options":["x","y"],"answer":"A"}\n');
    const prompt = { template: '{__proto__}' };
    const dataset = await folder.load({ source: 'rows.jsonl', fields: FIELDS, prompt });
    expect(Object.keys(dataset.examples[0]!.fields)).toContain('__proto__');
    expect(Object.getPrototypeOf(dataset.examples[0]!.fields)).toBe(Object.prototype);
  });
});

describe('CSV', () => {
  const fields = { id: 'id', options: { columns: ['a', 'b'] }, label: 'answer' };
  const load = (text: string, source: object = {}) => {
    folder.write('rows.csv', text);
    return folder.load({ source: { path: 'rows.csv', ...source }, fields });
  };

  it('reads 5,000 rows whose cells hold line breaks and quotes, across read borders', async () => {
    const rows = Array.from(
      { length: 5000 },
      (_, n) => `${n},"${'é'.repeat(n % 300)}\r\n""q"" ${n}",yes,no,${n % 2 ? 'yes' : 'no'}`,
    );
    const dataset = await load(`\ufeffid,q,a,b,answer\r\n${rows.join('\r\n')}\r\n`);
    expect(dataset.examples).toHaveLength(5000);
    const last = dataset.examples.find((example) => example.id === '4999')!;
    expect(last.fields.q).toBe(`${'é'.repeat(199)}\r\n"q" 4999`);
    expect(last.label).toBe(0);
  });

  it('names the row and line of a quote that is never closed', async () => {
    const rows = Array.from({ length: 20 }, (_, n) => `${n},${n === 6 ? '"' : ''}q,yes,no,yes`);
    expect(await refusal(load(`id,q,a,b,answer\n${rows.join('\n')}\n`))).toEqual([
      expect.stringMatching(/a quote opened in row 7 is never closed/),
    ]);
  });

  it('names the row whose quote is open also where a later quote seems to close it, and keeps the faults before it', async () => {
    const rows = Array.from(
      { length: 20 },
      (_, n) => `${n},${n === 6 ? '"open' : '"q"'},yes,no,${n === 2 ? 'so' : 'yes'}`,
    );
    expect(await refusal(load(`id,q,a,b,answer\n${rows.join('\n')}\n`))).toEqual([
      expect.stringMatching(/rows\.csv:4 answer 2: the label "so" equals no option/),
      expect.stringMatching(/rows\.csv:8 q -: a quote opened in row 7 is not closed, as line 9 shows/),
    ]);
    expect(await refusal(load('id,q,a,b,answer\n1,ok,yes,no,yes\n2,a 5" pipe,yes,no,yes\n'))).toEqual([
      expect.stringMatching(/rows\.csv:3 q -: row 2 has a quote inside a cell/),
    ]);
  });

  it('says so when lines end in CR alone', async () => {
    expect(await refusal(load('id,q,a,b,answer\r1,q,yes,no,yes\r'))).toEqual([
      expect.stringMatching(/rows\.csv:1 - -: its lines end in CR alone/),
    ]);
  });

  it('counts lines inside quoted cells when it places a fault', async () => {
    const faults = await refusal(
      load('id,q,a,b,answer\n1,"x\ny\nz",yes,no,yes\n2,q,yes,no,maybe\n3,q,yes,no\n4,q,yes,no,yes\n'),
    );
    expect(faults).toEqual([
      expect.stringMatching(/rows\.csv:5 answer 2: the label "maybe" equals no option/),
      expect.stringMatching(/rows\.csv:6 - -: expected 5 cells as in the header, found 4/),
    ]);
  });

  it('refuses a repeated header and lists the columns', async () => {
    expect(await refusal(load('id,a,a,b,answer\n1,x,y,z,x\n'))).toEqual([
      expect.stringMatching(/"a" stands twice in the header.*"id", "a", "a", "b", "answer"/),
    ]);
  });

  it('suggests the separator when the header was not split, and takes it', async () => {
    const text = 'id;a;b;answer\n1;yes;no;no\n';
    const faults = await refusal(load(text));
    expect(faults[0]).toContain('delimiter: ";"');
    expect(labelsOf(await load(text, { delimiter: ';' }))).toEqual([1]);
  });

  it('names UTF-16 and invalid bytes', async () => {
    folder.write('wide.csv', Buffer.from('\ufeffid,a,b,answer\n', 'utf16le'));
    expect(await refusal(folder.load({ source: 'wide.csv', fields }))).toEqual([expect.stringContaining('UTF-16')]);
    folder.write('latin.csv', Buffer.from('id,a,b,answer\n1,grün,rot,rot\n', 'latin1'));
    expect(await refusal(folder.load({ source: 'latin.csv', fields }))).toEqual([
      expect.stringContaining('byte offset 18'),
    ]);
  });

  it('stops reading at the limit', async () => {
    const rows = Array.from({ length: 50_000 }, (_, n) => `${n},yes,no,${n < 3 ? 'yes' : 'broken'}`);
    expect((await load(`id,a,b,answer\n${rows.join('\n')}\n`, { limit: 3 })).examples).toHaveLength(3);
  });

  it('reads tab separated values', async () => {
    folder.write('rows.tsv', 'id\tq\ta\tb\tanswer\n1\tx, y\tyes\tno\tB\n');
    const dataset = await folder.load({ source: 'rows.tsv', fields });
    expect([dataset.examples[0]!.fields.q, dataset.examples[0]!.label]).toEqual(['x, y', 1]);
  });
});

describe('paired text files', () => {
  const yaml = {
    source: { files: { text: 'text.txt', label: 'labels.txt' } },
    fields: { options: { labels: ['negative', 'neutral', 'positive'] }, label: { field: 'label', labelBase: 0 } },
  };

  it('pairs line n with line n and leaves the text untouched', async () => {
    folder.write('text.txt', ' a\t@user \r\n"b" \\u2019\n');
    folder.write('labels.txt', '2\n0');
    const { examples } = await folder.load(yaml);
    expect(examples.map(({ fields, label }) => [fields.text, label]).sort()).toEqual([
      [' a\t@user ', 2],
      ['"b" \\u2019', 0],
    ]);
  });

  it('refuses unequal counts and names both', async () => {
    folder.write('text.txt', 'a\nb\n\n');
    folder.write('labels.txt', '2\n0\n');
    expect(await refusal(folder.load(yaml))).toEqual([
      expect.stringMatching(/text\.txt has 3 lines, .*labels\.txt has 2 lines/),
    ]);
  });

  it('places a bad label in the file of labels', async () => {
    folder.write('text.txt', 'a\nb\n');
    folder.write('labels.txt', '2\n3\n');
    expect(await refusal(folder.load(yaml))).toEqual([
      expect.stringMatching(/labels\.txt:2 label .*label 3 is out of range/),
    ]);
  });
});

describe('ids', () => {
  it('refuses a duplicate id with both lines', async () => {
    expect(await refusal(loadRows([row(1), row(2), row(1)]))).toEqual([
      expect.stringMatching(/rows\.jsonl:3 id r1: the id "r1" is already used on line 1/),
    ]);
  });

  it('joins several fields with a slash and reaches into objects', async () => {
    folder.write('rows.jsonl', '{"set":"s","meta":{"n":12345678901234567890},"options":["x","y"],"answer":"A"}\n');
    const dataset = await folder.load({ source: 'rows.jsonl', fields: { ...FIELDS, id: ['set', 'meta.n'] } });
    expect(dataset.examples[0]!.id).toBe('s/12345678901234567890');
  });

  it('refuses an id that a double has already rounded', async () => {
    folder.write('rows.jsonl', '{"id":1e20,"options":["x","y"],"answer":"A"}\n');
    expect(await refusal(folder.load({ source: 'rows.jsonl', fields: FIELDS }))).toEqual([
      expect.stringContaining('not exact as a number'),
    ]);
  });

  it('numbers copies under a content id whatever the order of the lines', async () => {
    const rows = [
      { q: 'x', options: ['1', '2'], answer: 'B' },
      { q: 'x', options: ['1', '2'], answer: 'A' },
      { q: 'y', options: ['1', '2'], answer: 'A' },
    ];
    const fields = { options: 'options', label: 'answer' };
    const one = await loadRows(rows, { fields });
    const other = await loadRows([...rows].reverse(), { fields });
    expect(one.hash).toBe(other.hash);
    expect(one.examples.filter((example) => example.id.endsWith('#2'))).toHaveLength(1);
    expect(one.warnings.join()).toContain('1 row with the same content as another row');
  });

  it('sorts examples by code unit, so the order of lines changes nothing', async () => {
    const one = await loadRows([row(2), row(10), row(1)]);
    const other = await loadRows([row(1), row(2), row(10)]);
    expect(one.examples.map((example) => example.id)).toEqual(['r1', 'r10', 'r2']);
    expect(other).toEqual(one);
    expect((await loadRows([row(1), row(2), row(10, 'B')])).hash).not.toBe(one.hash);
  });
});

describe('options', () => {
  it('come from columns, from a list and from fixed labels, with K of each row its own', async () => {
    const columns = await loadRows([{ id: 1, a: 'x', b: 7, answer: '7' }], {
      fields: { ...FIELDS, options: { columns: ['a', 'b'] } },
    });
    expect(columns.examples[0]!.options).toEqual(['x', '7']);
    const ragged = await loadRows([row(1, 'B', ['x', 'y']), row(2, 'J', [...'abcdefghij'])]);
    expect(ragged.examples.map((example) => example.options.length)).toEqual([2, 10]);
    expect(labelsOf(ragged)).toEqual([1, 9]);
  });

  it('are refused when empty, with line, row and what to write', async () => {
    expect(await refusal(loadRows([row(1), row(2, 'A', ['x', ' \u00a0']), row(3, 'A', ['x', null])]))).toEqual([
      expect.stringMatching(/rows\.jsonl:2 options r2: option 2 is empty; .*emptyOptions: skip/),
      expect.stringMatching(/rows\.jsonl:3 options r3: option 2 is empty/),
    ]);
  });

  it('are left out and counted when the policy says skip', async () => {
    const dataset = await loadRows([row(1), row(2, 'A', ['x', ''])], { emptyOptions: 'skip' });
    expect(dataset.examples).toHaveLength(1);
    expect(dataset.leftOut).toEqual([{ id: 'r2', reason: 'option 2 is empty' }]);
  });

  it('number from 2 to 26', async () => {
    const many = Array.from({ length: 27 }, (_, n) => `o${n}`);
    expect(await refusal(loadRows([row(1, 'A', ['x']), row(2, 'A', many), row(3, 'A', [])]))).toEqual([
      expect.stringMatching(/:1 options r1: expected at least 2 options, found 1/),
      expect.stringMatching(/:2 options r2: expected at most 26 options, found 27/),
      expect.stringMatching(/:3 options r3: expected at least 2 options, found 0/),
    ]);
    expect((await loadRows([row(1, 'Z', many.slice(0, 26))])).examples[0]!.label).toBe(25);
  });

  it('that are equal after trimming and folding are counted and kept', async () => {
    const options = ['10 mg', '20 mg', '10 mg', '5 mg'];
    const rows = [
      row(1, 'C', options),
      row(2, 'C', ['10 mg', 'x', '10 mg ']),
      row(3, 'A', ['10 mg', '10\u00a0mg']),
      row(4),
    ];
    const dataset = await loadRows(rows);
    expect(dataset.warnings[0]).toBe('3 rows with two equal options (kept): r1, r2, r3');
    expect(dataset.examples).toHaveLength(4);
  });

  it('must be a list of scalars', async () => {
    expect(await refusal(loadRows([{ ...row(1), options: { text: ['a', 'b'] } }, row(2, 'A', [['x'], 'y'])]))).toEqual([
      expect.stringMatching(/:1 options r1: expected a list .*"options\.text"/),
      expect.stringMatching(/:2 options r2: option 1 is a list/),
    ]);
  });
});

describe('fields', () => {
  it('that no row has are one fault each, with the nearest name and those found', async () => {
    const faults = await refusal(
      loadRows([row(1), row(2)], { fields: { id: 'idd', options: 'option', label: 'anwser' } }),
    );
    expect(faults).toEqual([
      expect.stringMatching(
        /trial\.yaml:3 fields\.id -: no row has a field "idd"; did you mean "id"\? Found: "id", "question"/,
      ),
      expect.stringMatching(/fields\.options -: .*did you mean "options"/),
      expect.stringMatching(/fields\.label -: .*did you mean "answer"/),
    ]);
  });

  it('that a template names in place of {options} are told from misspelt ones', async () => {
    const named = async (template: string) => refusal(loadRows([row(1), row(2)], { prompt: { template } }));
    expect(await named('{question}\n{option}')).toContainEqual(
      expect.stringMatching(
        /no row has a field "option"; did you mean \{options\}, the lines of all options\? Found: /,
      ),
    );
    expect(await named('{qestion}\n{options}')).toContainEqual(
      expect.stringMatching(/no row has a field "qestion"; did you mean "question"\? Found: /),
    );
  });

  it('that hold ids and options are all named where no row has them', async () => {
    const fields = { id: ['nr', 'part'], options: { columns: ['opa', 'opb'] }, label: 'answer' };
    expect((await refusal(loadRows([row(1)], { fields }))).map((fault) => /field "(\w+)"/.exec(fault)?.[1])).toEqual([
      ...['nr', 'part', 'opa', 'opb'],
    ]);
  });

  it('that some rows lack are faults of those rows', async () => {
    const { answer: _, ...bare } = row(2);
    expect(await refusal(loadRows([row(1), bare]))).toEqual([
      expect.stringMatching(/rows\.jsonl:2 answer 2: the field "answer" is missing/),
    ]);
  });

  it('named by a template or a variant are checked at load', async () => {
    const prompt = { template: '{question}', variants: { short: { template: '{qestion} {options}' } } };
    expect(await refusal(loadRows([row(1)], { prompt }))).toEqual([
      expect.stringMatching(
        /prompt\.variants\.short\.template -: no row has a field "qestion"; did you mean "question"/,
      ),
    ]);
  });
});

describe('faults', () => {
  it('of all kinds are reported together, those like others with a count', async () => {
    const rows = [
      row(1, 'A', ['', 'x']),
      row(2, 'Q'),
      row(2),
      ...Array.from({ length: 70 }, (_, n) => row(n + 10, 'Z')),
    ];
    const faults = await refusal(loadRows(rows));
    expect(faults).toHaveLength(8);
    expect(faults.slice(0, 3)).toEqual([
      expect.stringContaining('option 1 is empty'),
      expect.stringContaining('label "Q" is out of range'),
      expect.stringContaining('already used on line 2'),
    ]);
    expect(faults[7]).toMatch(/and 66 more rows like it, lines 8, 9, /);
  });
});

describe('warnings', () => {
  it('name the option position that is never the answer', async () => {
    const dataset = await loadRows([row(1, 'B'), row(2, 'C')]);
    expect(dataset.warnings).toEqual([
      expect.stringMatching(/never the answer, by 0-based position \(0 to 2\): 0; check .*label base/),
    ]);
  });

  it('name the fixed labels that never occur', async () => {
    const fields = { id: 'id', options: { labels: ['good', 'bad'] }, label: 'answer' };
    const dataset = await loadRows([row(1, 'good'), row(2, 'good')], { fields });
    expect(dataset.warnings).toEqual([expect.stringContaining('labels that never occur: "bad"')]);
    const asText = await loadRows([row(1, 'good'), row(2, 'good')], {
      fields: { ...fields, label: { field: 'answer', as: 'text' } },
    });
    expect(asText.warnings).toEqual(['labels that never occur: "bad"']);
  });

  it('count copies under different ids', async () => {
    const copy = { ...row(2), question: row(1).question };
    expect((await loadRows([row(1), copy, row(3, 'B'), row(4, 'C')])).warnings).toEqual([
      '1 row with the same content as another row: r2 = r1',
    ]);
  });
});

describe('a path of a source', () => {
  const outside = mkdtempSync(path.join(tmpdir(), 'supportcal-outside-'));
  const private_ = path.join(outside, 'deep', 'rows.jsonl');
  mkdirSync(path.dirname(private_));
  writeFileSync(private_, lines([row(1), row(2)]));

  it('stays in the project, however it is written, links followed, unless the command line names or allows it', async () => {
    const project = mkdtempSync(path.join(tmpdir(), 'supportcal-project-'));
    mkdirSync(path.join(project, 'datasets'));
    mkdirSync(path.join(project, 'data'));
    writeFileSync(path.join(project, 'data/rows.jsonl'), lines([row(1), row(2)]));
    symlinkSync(private_, path.join(project, 'datasets/link.jsonl'));
    const load = (source: string, outside?: DatasetSpec['outside']) => {
      const yaml = datasetSchema.parse({ source, fields: FIELDS });
      const file = path.join(project, 'datasets/d.yaml');
      return loadDataset({ id: 'd', file, yaml, locate: () => ({ line: 7, column: 3 }), ...(outside && { outside }) });
    };
    const up = path.relative(path.join(project, 'datasets'), private_);
    for (const source of [up, private_, 'link.jsonl', `${path.dirname(path.dirname(up))}/*/rows.jsonl`]) {
      const [message] = await refusal(load(source));
      expect(message).toMatch(
        /^bad-input d.yaml:7 source\S* -: .*lies outside the project, .*--source d=FILE, or add --allow-outside/,
      );
    }
    const inside = path.join(project, 'data/rows.jsonl');
    for (const source of ['../data/rows.jsonl', inside]) expect((await load(source)).examples.length).toBe(2);
    expect((await load(private_, [private_])).examples.length).toBe(2);
    expect((await load(up, 'all')).examples.length).toBe(2);
    expect((await refusal(load(up, [private_]))).length).toBe(1);
  });
});
