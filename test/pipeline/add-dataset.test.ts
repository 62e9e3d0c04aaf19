import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadDatasetSpecs } from '../../src/config/load-dataset-specs.js';
import { loadDataset } from '../../src/datasets/load-dataset.js';
import { type AddDatasetOptions, addDataset } from '../../src/pipeline/add-dataset.js';
import { run } from '../cli/fake-io.js';

const root = mkdtempSync(path.join(tmpdir(), 'supportcal-add-'));
afterAll(() => rmSync(root, { recursive: true }));
const repository = path.resolve(import.meta.dirname, '..', '..');
const data = path.resolve(process.env.SHARED ?? path.join('..', 'shared'), 'data');

let folders = 0;
function folder(files: Readonly<Record<string, string>> = {}) {
  const at = path.join(root, String(folders++));
  mkdirSync(path.join(at, 'datasets'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(at, 'datasets', name), text);
  return path.join(at, 'datasets');
}
const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** Writes the proposal and loads the data set as a run would. */
async function roundTrip(file: string, datasets = folder(), more: Partial<AddDatasetOptions> = {}) {
  const added = await addDataset({ file, datasets, write: true, acceptDoubts: true, ...more });
  const [spec] = await loadDatasetSpecs(datasets, [added.dataset]);
  // Public files lie outside the project of the YAML; `--allow-outside` is for them.
  const dataset = await loadDataset({ ...spec!, outside: 'all' });
  expect(dataset.examples).toHaveLength(added.rows);
  const counts = (of: (example: (typeof dataset.examples)[number]) => number | null) => {
    const values = dataset.examples.map(of);
    return Object.fromEntries(
      [...new Set(values)].sort().map((value) => [value, values.filter((each) => each === value).length]),
    );
  };
  return {
    added,
    yaml: spec!.yaml,
    dataset,
    labels: counts(({ label }) => label),
    optionCounts: counts(({ options }) => options.length),
  };
}

describe('supportcal add-dataset', () => {
  it.each(['demo-facts', 'demo-arithmetic', 'demo-sentiment'])(
    'proposes for %s what the project wrote by hand',
    async (name) => {
      const { yaml, dataset } = await roundTrip(path.join(repository, 'datasets', `${name}.jsonl`));
      const [byHand] = await loadDatasetSpecs(path.join(repository, 'datasets'), [name]);
      expect(yaml.fields).toEqual(byHand!.yaml.fields);
      const own = await loadDataset(byHand!);
      expect(dataset.examples).toEqual(own.examples);
    },
  );

  it('sees that quotes are text also in a file that is named from the working directory', async () => {
    const datasets = folder({ 'q.csv': 'id,question,A,B,answer\n1,a 5" pipe?,yes,no,A\n2,which?,p,q,B\n' });
    const { yaml } = await roundTrip(path.relative(process.cwd(), path.join(datasets, 'q.csv')), datasets);
    expect(yaml.source).toMatchObject({ quote: 'none' });
  });

  it('reads option columns, and finds out from which number the labels count', async () => {
    const row = { q_id: 1, question: 'x?', option_a: 'p', option_b: 'q', option_c: 'r', answer: 3 };
    const datasets = folder({ 'a.jsonl': lines([row, { ...row, question: 'y?', answer: 1 }]) });
    const { yaml, labels } = await roundTrip(path.join(datasets, 'a.jsonl'), datasets);
    expect(yaml.fields).toEqual({
      options: { columns: ['option_a', 'option_b', 'option_c'] },
      label: { field: 'answer', labelBase: 1 },
    });
    expect([yaml.source, labels]).toEqual(['a.jsonl', { 0: 1, 2: 1 }]);
  });

  it('takes a column that numbers the rows as their id', async () => {
    const csv = 'nr,question,opa,opb,cop\nq1,x?,p,q,1\nq2,y?,p,q,2\n';
    const datasets = folder({ 'a.csv': csv });
    const { yaml } = await roundTrip(path.join(datasets, 'a.csv'), datasets);
    expect(yaml.fields).toEqual({
      id: 'nr',
      options: { columns: ['opa', 'opb'] },
      label: { field: 'cop', labelBase: 1 },
    });
  });

  it('reads nested options with labels of their own, as ARC has them', async () => {
    const row = (id: string, answerKey: string, label: string[]) => ({
      id,
      question: { stem: `${id}?` },
      choices: { text: ['p', 'q', 'r'], label },
      answerKey,
    });
    const datasets = folder({ 'a.jsonl': lines([row('one', 'B', ['A', 'B', 'C']), row('two', '3', ['1', '2', '3'])]) });
    const { yaml, labels } = await roundTrip(path.join(datasets, 'a.jsonl'), datasets);
    expect(yaml.fields).toEqual({
      id: 'id',
      options: 'choices.text',
      label: { field: 'answerKey', keys: 'choices.label' },
    });
    expect(yaml.prompt!.template).toContain('{question.stem}');
    expect(labels).toEqual({ 1: 1, 2: 1 });
  });

  it('takes the values of the label as the options of a classification file', async () => {
    const datasets = folder({ 'posts.csv': 'text,label\n"good, very",positive\nbad,negative\nwell,positive\n' });
    const { yaml, labels } = await roundTrip(path.join(datasets, 'posts.csv'), datasets);
    expect(yaml.fields).toEqual({
      options: { labels: ['negative', 'positive'] },
      label: { field: 'label', as: 'text' },
    });
    expect(labels).toEqual({ 0: 1, 1: 2 });
  });

  const fixture = (name: string) => path.join(repository, 'test/datasets/fixtures', name);

  it.each(['rows-zstd.parquet', 'rows-lz4.feather', 'rows-stream.arrow'])('reads %s', async (name) => {
    const { added, yaml, labels, dataset } = await roundTrip(fixture(name));
    expect([added.rows, yaml.fields]).toEqual([4, { options: 'choices', label: { field: 'answer', labelBase: 1 } }]);
    expect([labels, yaml.missingLabels, yaml.prompt!.template]).toEqual([
      { 0: 1, 1: 2, null: 1 },
      'keep',
      'Question: {q}\n{options}\nAnswer:',
    ]);
    expect(dataset.examples.find(({ fields }) => fields.q === 'Größe, in cm?')!.fields.key).toBe('9007199254740992');
  });

  it('reads the columns and structs of hub Parquet files, and the names of classes that stand in their metadata', async () => {
    const fieldsOf = async (name: string) => (await roundTrip(fixture(name))).yaml.fields;
    expect(await fieldsOf('hub-truthfulqa-mc1.parquet')).toEqual({ options: { truth: 'mc1_targets', seed: 1 } });
    expect(await fieldsOf('hub-arc-challenge.parquet')).toMatchObject({
      options: 'choices.text',
      label: { keys: 'choices.label' },
    });
    expect(await fieldsOf('hub-medmcqa.parquet')).toMatchObject({ id: 'id', label: { field: 'cop', labelBase: 0 } });
    const { yaml, labels } = await roundTrip(fixture('hub-news.parquet'));
    expect(yaml.fields).toEqual({
      options: { labels: ['World', 'Sports'] },
      label: { field: 'label', labelBase: 0 },
    });
    expect(labels).toEqual({ 0: 1, 1: 1, null: 1 });
  });

  it('says what it guessed', async () => {
    const row = { question: 'x?', choices: ['p', 'q', 'r'], answer: 1 };
    const datasets = folder({
      'a.jsonl': lines([row, { ...row, question: 'y?' }]),
      'b.tsv': 'text\tlabel\nx\t0\ny\t1\n',
    });
    expect((await roundTrip(path.join(datasets, 'a.jsonl'), datasets)).added.doubts).toContainEqual(
      expect.stringMatching(/labelBase 0 is a guess/),
    );
    expect((await roundTrip(path.join(datasets, 'b.tsv'), datasets)).added.doubts).toContainEqual(
      expect.stringMatching(/numbers only/),
    );
  });

  it('refuses a file without options, plain text without a pair and a YAML that is there', async () => {
    const datasets = folder({
      'a.jsonl': lines([{ x: 'y' }]),
      'b.txt': 'x\n',
      'c.jsonl': lines(['x?', 'y?'].map((question) => ({ question, options: ['yes', 'no'], answer: 'A' }))),
      'c.yaml': 'mine\n',
    });
    const refused = async (name: string) =>
      (await run(['add-dataset', path.join(datasets, name), '--write', '--datasets', datasets])) as {
        code: number;
        stderr: string;
      };
    expect(await refused('a.jsonl')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('found no options in the fields x'),
    });
    expect(await refused('b.txt')).toMatchObject({ code: 3, stderr: expect.stringContaining('no file with labels') });
    expect(await refused('c.jsonl')).toMatchObject({ code: 2, stderr: expect.stringContaining('is there already') });
    expect(await refused('none.jsonl')).toMatchObject({ code: 3, stderr: expect.stringContaining('no such file') });
    expect(readFileSync(path.join(datasets, 'c.yaml'), 'utf8')).toBe('mine\n');
  });

  it('prints the YAML that --write would write', async () => {
    const rows = ['x?', 'y?'].map((question) => ({ question, options: ['yes', 'no'], answer: 'A' }));
    const datasets = folder({ 'a.jsonl': lines(rows) });
    const flags = ['--datasets', datasets];
    const { stdout } = await run(['add-dataset', path.join(datasets, 'a.jsonl'), ...flags]);
    expect(existsSync(path.join(datasets, 'a.yaml'))).toBe(false);
    await run(['add-dataset', path.join(datasets, 'a.jsonl'), '--write', ...flags]);
    expect(readFileSync(path.join(datasets, 'a.yaml'), 'utf8')).toBe(stdout);
  });
});

describe('a doubtful proposal', () => {
  const row = { question: 'Which fruit?', choices: ['pear', 'plum', 'fig'], answer: 'B' };
  const rows = (more: (n: number) => object, count = 4) =>
    lines(Array.from({ length: count }, (_, n) => ({ ...row, question: `Which fruit, ${n}?`, ...more(n) })));
  const one = (text: string) => JSON.stringify({ version: '1.0', data: JSON.parse(text) });

  it.each([
    ['a map of two questions', 'a.json', one('{"Q1": 1, "Q2": 0}'), /one row only/],
    ['one row', 'a.jsonl', lines([row]), /one row only/],
    [
      'options that are letters',
      'a.jsonl',
      rows(() => ({ choices: ['A', 'B', 'C'] })),
      /every option is a single letter/,
    ],
    [
      'options equal in all rows and to the values of the label',
      'a.jsonl',
      rows((n) => ({ answer: row.choices[n % 3] })),
      /equal in all rows.*"pear"/,
    ],
    [
      'a list called choices that cannot be used',
      'a.jsonl',
      rows((n) => ({ choices: [{ a: 1 }], A: `p${n}`, B: `q${n}` })),
      /"choices" is not used, though its name says that it holds options/,
    ],
    [
      'an option column that only some rows have',
      'a.jsonl',
      rows((n) => ({ choices: undefined, A: `p${n}`, B: `q${n}`, ...(n > 1 && { option_c: 'r' }) })),
      /"option_c" is not used/,
    ],
    [
      'a second answer that says otherwise',
      'a.jsonl',
      rows((n) => ({ label: n % 3, gold: (n + 1) % 3 })),
      /"gold" is not used, though its name says that it holds the answer/,
    ],
    [
      'answers to open questions',
      'a.jsonl',
      rows((n) => ({ choices: undefined, answer: `city ${n}` })),
      /4 different values/,
    ],
    ['the same question in every row', 'a.jsonl', rows(() => ({ question: 'Choose.' })), /same text for every row/],
    [
      'a question by its length',
      'a.jsonl',
      rows((n) => ({ question: undefined, frage: `Was ist ${n}?`, erklaerung: `Weil es so ist, darum ${n}.` })),
      /"erklaerung" is taken for the question because its texts are longer than those of "frage"/,
    ],
    ['no question', 'a.jsonl', rows(() => ({ question: undefined })), /shows no field of the row/],
  ])('is a question, with what was seen: %s', async (_, name, text, doubt) => {
    const datasets = folder({ [name]: text });
    const file = path.join(datasets, name);
    const flags = ['--datasets', datasets, '--write'];
    const refused = await run(['add-dataset', file, ...flags]);
    expect(refused).toMatchObject({ code: 3, stdout: '', stderr: expect.stringMatching(doubt) });
    expect(refused.stderr).toContain('--accept-doubts');
    expect(existsSync(path.join(datasets, 'a.yaml'))).toBe(false);
    // A person at a terminal is asked, and answers.
    expect(await run(['add-dataset', file, ...flags], { answer: 'n' })).toMatchObject({ code: 3 });
    expect(existsSync(path.join(datasets, 'a.yaml'))).toBe(false);
    const taken = await run(['add-dataset', file, ...flags], { answer: 'y' });
    expect(taken).toMatchObject({ code: 0, stderr: expect.stringMatching(doubt) });
    rmSync(path.join(datasets, 'a.yaml'));
    expect(await run(['add-dataset', file, ...flags, '--accept-doubts'])).toMatchObject({ code: 0 });
  });

  it('is known of a data set whenever it is loaded, so that validate warns', async () => {
    const datasets = folder({ 'a.jsonl': rows(() => ({ choices: ['A', 'B', 'C'], target: 'pear' })) });
    const { dataset } = await roundTrip(path.join(datasets, 'a.jsonl'), datasets);
    expect(dataset.doubts).toContainEqual(expect.stringMatching(/single letter/));
  });

  it('is none where the values are plain: options that are numbers, rows inside an object, a table by its columns, two fields of one answer', async () => {
    const numbers = rows((n) => ({ choices: [3 + n, 4, 5.5, 22], answer: n, answer_text: 'z' }));
    const inner = JSON.stringify({
      version: '1.0',
      data: numbers
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    });
    const datasets = folder({
      'a.jsonl': numbers,
      'b.json': inner,
      'c.jsonl': rows((n) => ({ answer: 'ABC'[n % 3], label: n % 3 })),
      'd.jsonl': rows((n) => ({ answer: undefined, labels: [0, 1, 2].map((k) => Number(k === n % 3)) })),
      'e.json': JSON.stringify({
        question: [0, 1, 2, 3].map((n) => `Which fruit, ${n}?`),
        choices: Array(4).fill(row.choices),
        answer: ['A', 'B', 'C', 'A'],
      }),
    });
    for (const name of ['a.jsonl', 'b.json', 'c.jsonl', 'd.jsonl', 'e.json']) {
      const { added, yaml, labels } = await roundTrip(path.join(datasets, name), datasets, { acceptDoubts: false });
      expect([added.rows, added.doubts, yaml.fields?.options]).toEqual([4, [], 'choices']);
      expect(Object.keys(labels)).not.toContain('null');
    }
  });
});

describe.skipIf(!existsSync(data))('add-dataset on public files (skipped without the folder shared/data)', () => {
  it('MedMCQA: 4,183 rows, 1-based labels', async () => {
    const { added, yaml, labels } = await roundTrip(path.join(data, 'medmcqa/dev.json'));
    expect(added.rows).toBe(4183);
    expect(yaml.fields).toMatchObject({
      id: 'id',
      options: { columns: ['opa', 'opb', 'opc', 'opd'] },
      label: { field: 'cop', labelBase: 1 },
    });
    expect(labels).toEqual({ 0: 1348, 1: 1085, 2: 925, 3: 825 });
  });

  it('MathQA: 4,475 rows of five options', async () => {
    const { added, labels, optionCounts } = await roundTrip(path.join(data, 'mathqa/dev.json'));
    expect([added.rows, optionCounts]).toEqual([4475, { 5: 4475 }]);
    expect(labels).toEqual({ 0: 940, 1: 984, 2: 970, 3: 880, 4: 701 });
  });

  it('TweetEval: 2,000 rows of a pair of text files, with the names of its classes', async () => {
    const { added, yaml, labels } = await roundTrip(path.join(data, 'tweeteval-sentiment/val_text.txt'));
    expect([added.rows, yaml.fields!.options]).toEqual([2000, { labels: ['negative', 'neutral', 'positive'] }]);
    expect(yaml.decode).toEqual({ text: ['unicode-escapes', 'html', 'trim'] });
    expect(labels).toEqual({ 0: 312, 1: 869, 2: 819 });
  });

  it('TruthfulQA: 790 rows of 2 to 13 options, mc1', async () => {
    const { added, yaml, optionCounts } = await roundTrip(path.join(data, 'truthfulqa/mc_task.json'));
    expect([added.rows, yaml.fields!.options, yaml.emptyOptions]).toEqual([
      790,
      { truth: 'mc1_targets', seed: 1 },
      'keep',
    ]);
    expect(
      Object.keys(optionCounts)
        .map(Number)
        .sort((a, b) => a - b),
    ).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
  });
});
