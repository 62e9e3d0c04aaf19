import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Dataset } from '../../../src/datasets/example/example.js';
import { lines, refusal, temporaryFolder } from '../temporary-spec.js';

const folder = temporaryFolder();
const FIELDS = { id: 'id', options: { columns: ['a', 'b'] }, label: { field: 'label', labelBase: 0 } };
const row = (id: string, extra: Record<string, unknown> = {}) => ({ id, a: 'yes', b: 'no', label: 0, ...extra });
const idsOf = (dataset: Dataset) => dataset.examples.map((example) => example.id);
const ten = Array.from({ length: 10 }, (_, n) => row(`r${n}`, { kind: n % 2 ? 'odd' : 'even', n }));

describe('csv files', () => {
  it('without a header line take the names of `header`, and do not take that header for a row', async () => {
    const rows = '"one\nor two",2,2,a\n"say ""three"" ",4,5,b\n';
    const yaml = {
      source: { path: 'plain.csv', header: ['question', 'A', 'B', 'answer'] },
      fields: { id: 'question', options: { columns: ['A', 'B'] }, label: { field: 'answer', as: 'letter' } },
    };
    folder.write('plain.csv', rows);
    const plain = await folder.load(yaml);
    expect(plain.examples.map(({ id, options, label }) => [id, options, label])).toEqual([
      ['one\nor two', ['2', '2'], 0],
      ['say "three" ', ['4', '5'], 1],
    ]);
    folder.write('plain.csv', `\ufeffquestion,A,B,answer\r\n${rows}`);
    expect(await folder.load(yaml)).toEqual(plain);
    folder.write('plain.csv', `${rows}five,6,7\n`);
    expect(await refusal(folder.load(yaml))).toEqual([
      expect.stringMatching(/plain\.csv:4 .*expected 4 cells as in `header`, found 3/),
    ]);
    const { source: _, ...rest } = yaml;
    folder.write('plain.csv', 'Which of the fruits is this?,4,5,b\nWhich is that?,4,5,a\n');
    expect((await refusal(folder.load({ ...rest, source: 'plain.csv' }))).join()).toMatch(/write `header: \[\.\.\.\]`/);
  });

  it('lose the nameless column in which pandas counts the rows, and no other', async () => {
    folder.write('plain.csv', 'id,a,b,label\nr1,yes,no,0\nr2,x,"a\nb",1\n');
    folder.write('index.csv', ',id,a,b,label\n0,r1,yes,no,0\n1,r2,x,"a\nb",1\n');
    const plain = await folder.load({ source: 'plain.csv', fields: FIELDS });
    expect(await folder.load({ source: 'index.csv', fields: FIELDS })).toEqual(plain);
    for (const text of [',id,a,b,label\nx,r1,yes,no,0\n', 'id,,a,b,label\nr1,1,yes,no,0\n']) {
      folder.write('index.csv', text);
      expect(await refusal(folder.load({ source: 'index.csv', fields: FIELDS }))).toEqual([
        expect.stringMatching(/index\.csv:1 .*a column of the header has no name/),
      ]);
    }
  });

  it('with `quote: none` keep every quote as text', async () => {
    const text = 'id\tchoices\tlabel\nr1\t["red", "blue"]\t1\n"r2"\t["5\\"", "6"]\t0\n';
    folder.write('bare.tsv', text);
    const fields = { id: 'id', options: 'choices', label: { field: 'label', labelBase: 0 } };
    const { examples } = await folder.load({ source: { path: 'bare.tsv', quote: 'none' }, fields });
    expect(examples.map(({ id, options }) => [id, options])).toEqual([
      ['"r2"', ['5"', '6']],
      ['r1', ['red', 'blue']],
    ]);
    expect((await refusal(folder.load({ source: 'bare.tsv', fields }))).join()).toMatch(/:2 .*write `quote: none`/);
  });
});

describe('a file whose ending tells no format', () => {
  it.each(['rows.data', 'rows', 'rows.txt', 'rows.jsonlines', 'rows.data.gz'])(
    '%s is JSON Lines by its first line',
    async (name) => {
      const text = lines([row('r1'), row('r2')]);
      folder.write(name, name.endsWith('.gz') ? gzipSync(text) : text);
      expect(idsOf(await folder.load({ source: name, fields: FIELDS }))).toEqual(['r1', 'r2']);
    },
  );

  it('is an array, Parquet or Arrow by its first bytes, or refused', async () => {
    folder.write('rows.array', JSON.stringify([row('r1')]));
    expect(idsOf(await folder.load({ source: 'rows.array', fields: FIELDS }))).toEqual(['r1']);
    const fields = { id: 'key', options: 'choices', label: { field: 'answer', labelBase: 1 } };
    for (const name of ['rows-zstd.parquet', 'rows-lz4.feather']) {
      folder.write('rows.blob', readFileSync(path.join(import.meta.dirname, '..', 'fixtures', name)));
      expect((await folder.load({ source: 'rows.blob', fields })).examples).toHaveLength(4);
    }
    folder.write('rows.xlsx', 'PK');
    expect((await refusal(folder.load({ source: 'rows.xlsx', fields: FIELDS }))).join()).toMatch(/write `format:`/);
  });
});

describe('other forms', () => {
  const yaml = {
    source: 'form.jsonl',
    fields: { id: 'id', options: 'choices', label: { field: 'answer', labelBase: 0 } },
    forms: [
      {
        header: ['q', 'a', 'b', 'key'],
        fields: { id: 'q', options: { columns: ['a', 'b'] }, label: { field: 'key', as: 'letter' } },
      },
      {
        fields: {
          id: 'item.nr',
          options: 'item.texts',
          label: { field: 'key', as: 'letter' },
          prompt: { q: 'item.stem' },
        },
      },
    ],
    prompt: { template: '{q}\n{options}\nAnswer:' },
  };
  const own = lines([{ id: 'r1', q: 'Q?', choices: ['x', 'y'], answer: 1 }]);
  const other = lines([{ item: { nr: 'r1', stem: 'Q?', texts: ['x', 'y'] }, key: 'B' }]);

  it('are read as the first row has their fields, also for the rows that are shown', async () => {
    folder.write('form.jsonl', own);
    const first = await folder.load(yaml);
    folder.write('form.jsonl', other);
    const second = await folder.load(yaml);
    const seen = ({ examples }: Dataset) =>
      examples.map(({ id, options, label, fields: { q } }) => [id, options, label, q]);
    expect(seen(second)).toEqual(seen(first));
    folder.write('shown.csv', 'Which?,x,y,B\nWhat?,v,w,A\n');
    const { shots } = await folder.load({
      ...yaml,
      prompt: { ...yaml.prompt, fewShot: { count: 2, seed: 1, from: 'shown.csv' } },
    });
    expect(shots.map(({ options, label }) => options[label!]).sort()).toEqual(['v', 'y']);
  });

  it('are checked whether a file has them or not', async () => {
    folder.write('form.jsonl', own);
    const [form] = yaml.forms;
    const forms = [{ ...form!, fields: { ...form!.fields, label: { field: 'key', as: 'index' } } }];
    expect((await refusal(folder.load({ ...yaml, forms }))).join()).toMatch(
      /fields\.label .*an index needs `labelBase/,
    );
  });
});

describe('gzip', () => {
  const csv = 'id,a,b,label\r\nr1,"yes,\n""sir""",no,1\r\n';
  it.each([
    ['packed.jsonl.gz', lines([row('r1')])],
    ['packed.json.gz', JSON.stringify([row('r1')])],
    ['odd.json.gz', lines([row('r1')])],
    ['packed.csv.gz', csv],
    ['packed.tsv.gz', csv.replaceAll(',', '\t')],
  ])('%s gives the rows of the unpacked file', async (name, text) => {
    folder.write(name.slice(0, -3), text);
    folder.write(name, gzipSync(text));
    const plain = await folder.load({ source: name.slice(0, -3), fields: FIELDS });
    expect(plain.examples).toHaveLength(1);
    expect(await folder.load({ source: name, fields: FIELDS })).toEqual(plain);
  });

  it('unpacks paired text files, and files of several members', async () => {
    folder.write('texts.txt.gz', Buffer.concat([gzipSync('one\n'), gzipSync('two\n')]));
    folder.write('labels.txt', '0\n1\n');
    const dataset = await folder.load({
      source: { files: { text: 'texts.txt.gz', label: 'labels.txt' } },
      fields: { id: 'text', options: { labels: ['bad', 'good'] }, label: { field: 'label', labelBase: 0 } },
    });
    expect(dataset.examples.map(({ id, label }) => [id, label])).toEqual([
      ['one', 0],
      ['two', 1],
    ]);
  });

  it.each(['rows-zstd.parquet', 'rows-lz4.feather', 'rows-stream.arrow'])('unpacks %s', async (name) => {
    const bytes = readFileSync(path.join(import.meta.dirname, '..', 'fixtures', name));
    folder.write(`${name}.gz`, gzipSync(bytes));
    const fields = { id: 'key', options: 'choices', label: { field: 'answer', labelBase: 1 } };
    const { examples } = await folder.load({ source: `${name}.gz`, fields });
    expect(examples.map(({ id }) => id)).toEqual(['7', '8', '9007199254740992', '9007199254740993']);
  });

  it('says of a cut file that it ends too early, and does not unpack a bomb', async () => {
    folder.write('cut.jsonl.gz', gzipSync(lines(ten)).subarray(0, 60));
    expect(await refusal(folder.load({ source: 'cut.jsonl.gz', fields: FIELDS }))).toEqual([
      expect.stringMatching(/cut\.jsonl\.gz .*gzip: it ends too early; fetch/),
    ]);
    const { unpackedTable } = await import('../../../src/formats/text/gunzip.js');
    const shown = folder.write('bomb.parquet.gz', gzipSync(Buffer.alloc(5_000_000)));
    const handle = await open(shown);
    expect(await refusal(unpackedTable(handle, { path: shown, shown }, 1_000_000))).toEqual([
      expect.stringMatching(/unpacks to more than 1000000 bytes; unpack it \(gunzip\)/),
    ]);
    await handle.close();
  });

  it('keeps the limit of a JSON array on what it unpacks to', async () => {
    const { readJson } = await import('../../../src/formats/json.js');
    const { FaultList } = await import('../../../src/formats/row/fault-list.js');
    const shown = folder.write('bomb.json.gz', gzipSync(`[${' '.repeat(100_000)}]`));
    const read = readJson({ path: shown, shown }, new FaultList(), { maxBytes: 50_000 });
    expect(await refusal(read.next())).toEqual([expect.stringContaining('may have 50000 bytes')]);
  });
});

describe('several files', () => {
  it('reads a list and a pattern in one order, each file once', async () => {
    for (const n of [10, 2, 1]) folder.write(`part-${n}.jsonl`, lines([row(`p${n}`)]));
    folder.write('part-3.csv', 'id,a,b,label\np3,yes,no,1\n');
    const load = (source: unknown) => folder.load({ source, fields: FIELDS }).then(idsOf);
    expect(await load('part-*.jsonl')).toEqual(['p1', 'p10', 'p2']);
    expect(await load({ path: ['part-3.csv', 'part-1.jsonl', 'part-*.*'] })).toEqual(['p1', 'p10', 'p2', 'p3']);
    // The first file in code-unit order is part-1, the second part-10.
    expect(await load({ path: 'part-*.jsonl', limit: 2 })).toEqual(['p1', 'p10']);
  });

  it('finds files in folders whose names look like patterns, and a file whose name does', async () => {
    const odd = path.join(path.dirname(folder.write('x', '')), 'a [b] (c)');
    mkdirSync(odd);
    writeFileSync(path.join(odd, 'rows[1].jsonl'), lines([row('odd')]));
    const load = (source: string) => folder.load({ source, fields: FIELDS }).then(idsOf);
    expect(await load('a [b] (c)/rows[1].jsonl')).toEqual(['odd']);
    expect(await load(path.join(odd, 'rows[1].jsonl'))).toEqual(['odd']);
  });

  it('names the file in every fault, and both files of a repeated id', async () => {
    folder.write('one.jsonl', lines([row('r1'), row('r2', { label: 7 })]));
    folder.write('two.jsonl', lines([row('r1'), { id: 'r3', a: 'yes', label: 0 }]));
    expect(await refusal(folder.load({ source: { path: ['one.jsonl', 'two.jsonl'] }, fields: FIELDS }))).toEqual([
      expect.stringMatching(/two\.jsonl:1 id r1: the id "r1" is already used on line 1 of .*one\.jsonl/),
      expect.stringMatching(/two\.jsonl:2 b 2: the field "b" is missing/),
      expect.stringMatching(/one\.jsonl:2 label r2: the label 7 is out of range/),
    ]);
  });

  it('reports every path that names no file at its YAML line', async () => {
    const source = { path: ['none.jsonl', 'nothing-*.jsonl'] };
    expect(await refusal(folder.load({ source, fields: FIELDS }))).toEqual([
      expect.stringMatching(/^missing-file trial\.yaml:3 source\.path\.0 .*none\.jsonl: no such file/),
      expect.stringMatching(/^missing-file trial\.yaml:3 source\.path\.1 .*no file matches this pattern/),
    ]);
  });
});

describe('choosing rows', () => {
  const load = (source: Record<string, unknown>) => {
    folder.write('ten.jsonl', lines(ten));
    return folder.load({ source: { path: 'ten.jsonl', ...source }, fields: FIELDS });
  };

  it('filters by one value, by several, and by several fields; values compare as text', async () => {
    expect(idsOf(await load({ filter: { field: 'kind', equals: 'odd' } }))).toEqual(['r1', 'r3', 'r5', 'r7', 'r9']);
    expect(idsOf(await load({ filter: { field: 'n', in: [3, '4', 40] } }))).toEqual(['r3', 'r4']);
    const both = [
      { field: 'kind', equals: 'odd' },
      { field: 'n', in: [3, 4] },
    ];
    expect(idsOf(await load({ filter: both }))).toEqual(['r3']);
    expect(idsOf(await load({ filter: { field: 'kind', equals: 'even' }, limit: 2 }))).toEqual(['r0', 'r2']);
  });

  it('refuses a filter on no field, and one that keeps nothing', async () => {
    expect(await refusal(load({ filter: { field: 'kin', equals: 'odd' } }))).toEqual([
      expect.stringMatching(/trial\.yaml:3 source\.filter\.field -: no row has a field "kin"; did you mean "kind"/),
    ]);
    expect(await refusal(load({ filter: { field: 'kind', equals: 'prime' } }))).toEqual([
      expect.stringContaining('none of the 10 rows passes the filter'),
    ]);
  });

  it('samples by ids and seed, not by the order of the file, and other seeds draw other rows', async () => {
    const drawn = await load({ sample: { count: 4, seed: 1 } });
    expect(drawn.examples).toHaveLength(4);
    folder.write('reversed.jsonl', lines(ten.toReversed()));
    const again = await folder.load({
      source: { path: 'reversed.jsonl', sample: { count: 4, seed: 1 } },
      fields: FIELDS,
    });
    expect(again).toEqual(drawn);
    const other = await load({ sample: { count: 4, seed: 2 } });
    expect(idsOf(other)).not.toEqual(idsOf(drawn));
    expect(other.hash).not.toBe(drawn.hash);
  });

  it('refuses a sample larger than the data set', async () => {
    expect(await refusal(load({ sample: { count: 11, seed: 1 } }))).toEqual([
      expect.stringMatching(/trial\.yaml:3 source\.sample\.count -: a sample of 11 rows .* there are 10/),
    ]);
  });
});
