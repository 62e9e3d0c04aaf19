import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadDatasetSpecs } from '../../src/config/load-dataset-specs.js';
import { loadDataset } from '../../src/datasets/load-dataset.js';
import { addDataset } from '../../src/pipeline/add-dataset.js';

const root = mkdtempSync(path.join(tmpdir(), 'supportcal-exceptions-'));
afterAll(() => rmSync(root, { recursive: true }));

type Row = Record<string, unknown>;

function goodRows(count = 39): Row[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `q${n}`,
    question: `Which of them is number ${n}?`,
    choices: [`a${n}`, `b${n}`, `c${n}`, `d${n}`],
    answer: 'ABCD'[n % 4],
  }));
}

let folders = 0;
/** Rows as JSON Lines; a text is a line as it is. */
function fileOf(rows: readonly (Row | string)[]) {
  const folder = path.join(root, String(folders++), 'datasets');
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'a.jsonl');
  writeFileSync(file, rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join(''));
  return { file, datasets: folder };
}

/** The file of good rows in which the given ones are changed, by their positions. */
function fileWith(changes: Readonly<Record<number, Row | string>>, rows = goodRows()) {
  return fileOf(
    rows.map((row, n) => {
      const change = changes[n];
      return typeof change === 'string' ? change : { ...row, ...change };
    }),
  );
}

const list = { options: 'choices', label: { field: 'answer', as: 'letter' }, id: 'id' };
const columns = goodRows().map(({ choices, ...row }) => {
  const [a, b, c, d] = choices as string[];
  return { ...row, option_a: a, option_b: b, option_c: c, option_d: d };
});
const lettered = goodRows().map(({ choices, ...row }) => ({
  ...row,
  options: (choices as string[]).map((text, k) => `${'abcd'[k]}) ${text}`).join(' , '),
}));
const numbered = (base: number) => goodRows().map((row, n) => ({ ...row, answer: base + (n % 4) }));
const beside = goodRows().map(({ choices, answer: _, ...row }) => {
  const [correct_answer, ...distractors] = choices as string[];
  return { ...row, correct_answer, distractors };
});
const truths = goodRows().map(({ choices, answer: _, ...row }, n) => ({
  ...row,
  mc1: Object.fromEntries((choices as string[]).map((text, k) => [text, k === n % 4 ? 1 : 0])),
}));

describe('a row unlike the others decides nothing in add-dataset, and is named with its line', () => {
  it.each([
    ['a single option', fileWith({ 20: { choices: ['only'], answer: 'A' } }), list, /a\.jsonl:21:\d+: .*found 1$/],
    ['no list', fileWith({ 7: { choices: undefined } }), list, /a\.jsonl:8:.*"choices" is missing/],
    ['a letter too many', fileWith({ 17: { answer: 'E' } }), list, /a\.jsonl:18:.*"E" is out of range/],
    ['a label that is an object', fileWith({ 3: { answer: { is: 'A' } } }), list, /a\.jsonl:4:.*answer/],
    ['no JSON', fileWith({ 8: '{"id": "q8", ' }), list, /a\.jsonl:9:.*not valid JSON/],
    ['an id that is null', fileWith({ 5: { id: null } }), list, /a\.jsonl:6:.*id/],
    [
      'a number out of range, counted from 0',
      fileWith({ 9: { answer: 4 } }, numbered(0)),
      { ...list, label: { field: 'answer', labelBase: 0 } },
      /a\.jsonl:10:.*label 4 is out of range/,
    ],
    [
      'a number out of range, counted from 1',
      fileWith({ 9: { answer: 0 } }, numbered(1)),
      { ...list, label: { field: 'answer', labelBase: 1 } },
      /a\.jsonl:10:.*label 0 is out of range/,
    ],
    [
      'an option column less',
      fileWith({ 11: { option_d: undefined } }, columns),
      { ...list, options: { columns: ['option_a', 'option_b', 'option_c', 'option_d'] } },
      /a\.jsonl:12:.*"option_d" is missing/,
    ],
    [
      'options that are no text with letters',
      fileWith({ 12: { options: 'none' } }, lettered),
      { ...list, options: { field: 'options', extract: 'lettered' } },
      /a\.jsonl:13:.*options/,
    ],
    [
      'no wrong answers',
      fileWith({ 2: { distractors: undefined } }, beside),
      { id: 'id', options: { right: 'correct_answer', wrong: 'distractors', seed: 1 } },
      /a\.jsonl:3:.*"distractors" is missing/,
    ],
    [
      'a right answer that is null',
      fileWith({ 2: { correct_answer: null } }, beside),
      { id: 'id', options: { right: 'correct_answer', wrong: 'distractors', seed: 1 } },
      /a\.jsonl:3:.*is empty/,
    ],
    [
      'two answers that are true',
      fileWith({ 4: { mc1: { x: 1, y: 1 } } }, truths),
      { id: 'id', options: { truth: 'mc1', seed: 1 } },
      /a\.jsonl:5:/,
    ],
  ])('%s', async (_, { file, datasets }, fields, named) => {
    const added = await addDataset({ file, datasets, write: true, acceptDoubts: true });
    const [spec] = await loadDatasetSpecs(datasets, ['a']);
    expect(spec!.yaml.fields).toEqual(fields);
    expect(added).toMatchObject({ rows: 38, refused: 1 });
    expect(added.notes).toContain(
      '1 of 39 rows does not fit and is refused by validate until mended or removed (2.6 %; up to 10 % decide nothing)',
    );
    expect(added.notes).toContainEqual(expect.stringMatching(named));
    // The data set itself is read as strictly as any other.
    await expect(loadDataset(spec!)).rejects.toThrow(named);
  });

  it('up to a tenth of the rows, and of a base of labels that rests on most of them it asks', async () => {
    const bad = (count: number) =>
      fileWith(Object.fromEntries(Array.from({ length: count }, (_, n) => [n, { answer: 'E' }])), goodRows(40));
    const added = await addDataset({ ...bad(4), acceptDoubts: true });
    expect(added).toMatchObject({ rows: 36, refused: 4 });
    const more = await addDataset({ ...bad(5), acceptDoubts: true });
    expect(more).toMatchObject({ rows: 40, refused: 0 });
    expect(more.notes).toContainEqual(
      'no field says which option is right in nearly all rows (field "answer" does in most): unlabelled; ' +
        'calibration works, ECE needs labels',
    );
    const base = addDataset({ ...fileWith({ 9: { answer: 4 } }, numbered(0)) });
    await expect(base).rejects.toThrow('10 labels are 0 and 1 equal the number of options');
  });

  it('and of more it says where options are and where not', async () => {
    const short = fileWith(Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [n, { choices: ['only'] }])));
    await expect(addDataset({ ...short, acceptDoubts: true })).rejects.toThrow(
      'of which choices hold some in 33 of 39 rows (not in 2, 3, 4, 5, 6, ...)',
    );
  });

  it('keeps another field from being taken for the question, and an id that stands twice from being one', async () => {
    const rows = goodRows().map((row) => ({ ...row, text: 'A passage to read.' }));
    const odd = await addDataset({ ...fileWith({ 6: { question: 17 } }, rows), acceptDoubts: true });
    expect(odd.text).toContain('Question: {question}');
    const twice = await addDataset({ ...fileWith({ 6: { id: 'q5' } }), acceptDoubts: true });
    expect(twice.notes).toContainEqual(
      expect.stringMatching(/^field "id" is not taken for the id, since 1 of 39 rows/),
    );
  });

  it('counts a row with several faults once, however many rows have them, and takes none of them for read', async () => {
    const columnsOf = (n: number): Row => ({ question: undefined, option_d: undefined, answer: n % 2 ? 'E' : 'A' });
    const rows = goodRows(700).map(({ choices, ...row }, n) => {
      const [option_a, option_b, option_c, option_d] = choices as string[];
      return { ...row, option_a, option_b, option_c, option_d, ...(n % 10 === 4 && columnsOf(n)) };
    });
    const added = await addDataset({ ...fileOf(rows), acceptDoubts: true });
    expect(added).toMatchObject({ rows: 630, refused: 70 });
    expect(added.notes).toContainEqual(expect.stringMatching(/^70 of 700 rows do not fit .*\(10\.0 %/));
  });

  it('counts a broken line among the rows of which it may be one in ten', async () => {
    const added = await addDataset({ ...fileOf([...goodRows(9), '{"id": "q9", ']), acceptDoubts: true });
    expect(added).toMatchObject({ rows: 9, refused: 1 });
  });

  it('finds the rows inside one object though one of them is none', async () => {
    const { datasets } = fileOf([]);
    const file = path.join(datasets, 'a.json');
    writeFileSync(file, JSON.stringify({ version: 1, data: [...goodRows(), null] }));
    const added = await addDataset({ file, datasets, acceptDoubts: true });
    expect(added).toMatchObject({ rows: 39, refused: 1, text: expect.stringContaining('rows: data') });
  });

  it('excuses no fault with which reading ends, since nobody knows what it hides', async () => {
    const { datasets } = fileOf([]);
    const file = path.join(datasets, 'a.csv');
    const lines = Array.from({ length: 60 }, (_, n) => `q${n},"Which, ${n}?",a${n},b${n},${'AB'[n % 2]}\n`);
    lines[40] = 'q40,"Which?,a40,b40,A\n';
    writeFileSync(file, `id,question,option_a,option_b,answer\n${lines.join('')}`);
    await expect(addDataset({ file, datasets, acceptDoubts: true })).rejects.toThrow(/a quote opened/);
  });

  it('takes no list that only its form speaks for, and some rows lack, before numbered classes', async () => {
    const words = (n: number) => (n % 20 === 7 ? ['one'] : ['two', 'words', `and ${n}`]);
    const rows = Array.from({ length: 40 }, (_, n) => ({ text: `text ${n}`, tokens: words(n), label: n % 2 }));
    const { text } = await addDataset({ ...fileOf(rows), acceptDoubts: true });
    expect(text).toContain('options: { labels: ["class 0", "class 1"] }');
  });
});
