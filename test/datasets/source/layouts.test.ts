import { describe, expect, it } from 'vitest';
import type { Dataset } from '../../../src/datasets/example/example.js';
import { lines, refusal, temporaryFolder } from '../temporary-spec.js';

const folder = temporaryFolder();
const FIELDS = { id: 'id', options: 'choices', label: { field: 'answer', labelBase: 0 } };
const ROWS = [
  { id: 'r1', q: 'One?', choices: ['x', 'y'], answer: 1 },
  { id: 'r2', q: 'Two?', choices: ['v', 'w', 'z'], answer: 0 },
];
const seen = ({ examples }: Dataset) =>
  examples.map(({ id, options, label, fields: { q } }) => [id, options, label, q]);
const EXPECTED = [
  ['r1', ['x', 'y'], 1, 'One?'],
  ['r2', ['v', 'w', 'z'], 0, 'Two?'],
];

/** What `pandas` writes with its orients, and an API with its envelope. */
const columns = Object.fromEntries((['id', 'q', 'choices', 'answer'] as const).map((f) => [f, ROWS.map((r) => r[f])]));
const byRow = Object.fromEntries(Object.entries(columns).map(([f, cells]) => [f, { ...cells }]));

describe('a JSON file whose rows are no list of objects', () => {
  it.each([
    ['inside an object', { version: '1.0', data: ROWS }, { rows: 'data' }],
    ['deep inside', { a: { 'b c': { rows: ROWS } }, z: [1] }, { rows: 'a.b c.rows' }],
    ['column by column', columns, { layout: 'columns' }],
    ['column by column with names of rows', byRow, { layout: 'columns' }],
    ['column by column inside an object', { train: columns, test: {} }, { layout: 'columns', rows: 'train' }],
    ['under a key each', { r1: ROWS[0], r2: ROWS[1] }, { layout: 'keyed' }],
  ])('loads with its rows %s', async (_, content, source) => {
    for (const indent of [0, 2]) {
      folder.write('rows.json', JSON.stringify(content, null, indent));
      expect(seen(await folder.load({ source: { path: 'rows.json', ...source }, fields: FIELDS }))).toEqual(EXPECTED);
    }
  });

  it('may say of each option whether it is the right one, and may hold the questions in a cell of CSV', async () => {
    const rows = ROWS.map(({ answer, ...row }) => ({ ...row, right: row.choices.map((_, k) => k === answer) }));
    const fields = { ...FIELDS, label: { field: 'right', as: 'truth' } };
    const load = async (all: readonly unknown[], more = {}) => {
      folder.write('truth.json', JSON.stringify(all));
      return folder.load({ source: 'truth.json', fields, ...more });
    };
    expect(seen(await load(rows))).toEqual(EXPECTED);
    const several = [rows[0], { ...rows[1], right: [1, '0', 1] }];
    expect(seen(await load(several, { severalAnswers: 'first' }))).toEqual(EXPECTED);
    expect(await refusal(load(several))).toEqual([expect.stringContaining('more than one answer is right')]);
    expect(await refusal(load([rows[0], { ...rows[1], right: [1, 0] }]))).toEqual([
      expect.stringContaining('right r2: says of 2 options which is right; the row has 3'),
    ]);
    const cell = JSON.stringify(ROWS).replaceAll('"', '""');
    folder.write('cell.csv', `passage,all\np,"${cell}"\n`);
    const source = { path: 'cell.csv', explode: 'all' };
    const inner = { id: 'all.id', options: 'all.choices', label: { field: 'all.answer', labelBase: 0 } };
    const { examples } = await folder.load({ source, fields: inner });
    expect(examples.map(({ id, label }) => [id, label])).toEqual([
      ['r1', 1],
      ['r2', 0],
    ]);
  });

  it('has the key of a row as a field, which is no content of it', async () => {
    const rows = Object.fromEntries(ROWS.map(({ id, ...row }) => [id, row]));
    folder.write('rows.json', JSON.stringify(rows));
    const source = { path: 'rows.json', layout: 'keyed' };
    expect(seen(await folder.load({ source, fields: { ...FIELDS, id: '_key' } }))).toEqual(EXPECTED);
    folder.write('twice.json', JSON.stringify({ a: { ...ROWS[0], id: 1 }, b: { ...ROWS[0], id: 1 } }));
    const { id: _, ...fields } = FIELDS;
    const twice = await folder.load({ source: { path: 'twice.json', layout: 'keyed' }, fields });
    expect(new Set(twice.examples.map(({ contentHash }) => contentHash)).size).toBe(1);
  });

  it('names line and column of a fault in a row inside an object', async () => {
    const bad = { version: 1, data: [ROWS[0], { ...ROWS[1], answer: 7 }] };
    folder.write('bad.json', JSON.stringify(bad, null, 1));
    const source = { path: 'bad.json', rows: 'data' };
    expect(await refusal(folder.load({ source, fields: FIELDS }))).toEqual([
      expect.stringMatching(/^bad-input bad\.json:21 answer r2: the label 7 is out of range/),
    ]);
  });

  it.each([
    [{ items: ROWS }, { rows: 'data' }, /there is no field "data" for `rows: data`; those there are: items/],
    [{ data: ROWS }, { layout: 'columns' }, /no row has a field "id"; found: "data"/],
    [{ id: ['a'], q: ['b', 'c'] }, { layout: 'columns' }, /"q" has 2 cells and "id" has 1/],
    [ROWS, { layout: 'columns' }, /`layout: columns` is for an object, found a list/],
    [{ a: 1 }, { layout: 'keyed' }, /what stands under "a" is no row/],
  ])('is refused where it is laid out otherwise', async (content, source, message) => {
    folder.write('odd.json', JSON.stringify(content));
    expect((await refusal(folder.load({ source: { path: 'odd.json', ...source }, fields: FIELDS }))).join()).toMatch(
      message,
    );
  });

  it('is told of `rows:` where it is read line by line, and other formats refuse the key', async () => {
    folder.write('rows.json', JSON.stringify({ data: ROWS }, null, 2));
    expect((await refusal(folder.load({ source: 'rows.json', fields: FIELDS }))).join()).toMatch(/rows: data/);
    folder.write('rows.jsonl', lines(ROWS));
    const source = { path: 'rows.jsonl', rows: 'data' };
    expect((await refusal(folder.load({ source, fields: FIELDS }))).join()).toMatch(/are for JSON files/);
    expect(() => folder.spec({ source: { ...source, format: 'csv' }, fields: FIELDS })).toThrow(/is for JSON files/);
  });
});

describe('explode', () => {
  const passage = {
    id: 'p1',
    passage: 'Text.',
    questions: [
      { q: 'One?', choices: ['x', 'y'], answer: 1 },
      { q: 'Two?', choices: ['v', 'w', 'z'], answer: 0 },
    ],
  };
  const inner = (prefix: string) => ({
    id: ['id', '_part'],
    options: `${prefix}.choices`,
    label: { field: `${prefix}.answer`, labelBase: 0 },
    prompt: { q: `${prefix}.q` },
  });
  const parts = EXPECTED.map(([, ...rest], n) => [`p1/${n + 1}`, ...rest]);

  it('makes a row of every question of a row, with what they share', async () => {
    folder.write('passages.jsonl', lines([passage]));
    const dataset = await folder.load({
      source: { path: 'passages.jsonl', explode: 'questions' },
      fields: inner('questions'),
      prompt: { template: '{passage}\n{q}\n{options}' },
    });
    expect(seen(dataset)).toEqual(parts);
    expect(dataset.examples.map(({ fields }) => fields.passage)).toEqual(['Text.', 'Text.']);
  });

  it('reaches through lists of objects, as SQuAD has them', async () => {
    folder.write('squad.json', JSON.stringify({ data: [{ id: 'p1', paragraphs: [{ qas: passage.questions }] }] }));
    const dataset = await folder.load({
      source: { path: 'squad.json', rows: 'data', explode: 'paragraphs.qas' },
      fields: inner('paragraphs.qas'),
    });
    expect(seen(dataset)).toEqual(parts);
  });

  it('takes several lists together, as RACE has them', async () => {
    const race = {
      id: 'p1',
      article: 'Text.',
      questions: ['One?', 'Two?'],
      options: [
        ['x', 'y'],
        ['v', 'w', 'z'],
      ],
      answers: ['B', 'A'],
    };
    const yaml = {
      source: { path: 'race.jsonl', explode: ['questions', 'options', 'answers'] },
      fields: { id: ['id', '_part'], options: 'options', label: 'answers', prompt: { q: 'questions' } },
    };
    folder.write('race.jsonl', lines([race]));
    expect(seen(await folder.load(yaml))).toEqual(parts);
    folder.write(
      'race.jsonl',
      lines([
        { ...race, id: 'p0' },
        { ...race, answers: ['A'] },
      ]),
    );
    expect(await refusal(folder.load(yaml))).toEqual([
      'bad-input race.jsonl:2 answers 2: has 1 elements, "questions" has 2; they must go together',
    ]);
  });

  it('keeps equal questions of two rows equal in content, and refuses a row without the list', async () => {
    folder.write(
      'passages.jsonl',
      lines([
        { ...passage, id: 'p1' },
        { ...passage, id: 'p2' },
      ]),
    );
    const yaml = { source: { path: 'passages.jsonl', explode: 'questions' }, fields: inner('questions') };
    const { examples } = await folder.load(yaml);
    expect(new Set(examples.map(({ contentHash }) => contentHash)).size).toBe(2);
    folder.write('passages.jsonl', lines([passage, { ...passage, id: 'p2', questions: 'none' }]));
    expect(await refusal(folder.load(yaml))).toEqual([
      'bad-input passages.jsonl:2 questions 2: expected a list in "questions" for `explode`, found "none"',
    ]);
  });
});
