import { expect, it } from 'vitest';
import { foldedText } from '../../src/datasets/example/near-hash.js';
import { lines, temporaryFolder } from './temporary-spec.js';

const folder = temporaryFolder();
const yaml = {
  source: 'rows.jsonl',
  fields: { id: 'id', options: 'options', label: { field: 'answer', as: 'letter' } },
  prompt: { template: '{question}\n{options}\nAnswer:' },
};
const row = (id: string, question: string, answer: string, more: object = {}) => ({
  id,
  question,
  options: ['Yes', 'No'],
  answer,
  ...more,
});

async function load(...rows: readonly object[]) {
  folder.write('rows.jsonl', lines(rows));
  return folder.load(yaml);
}

it.each([
  ['Unicode form', 'Caf\u00e9 open?', 'Cafe\u0301 open?'],
  ['case', 'Is it so?', 'IS IT SO?'],
  ['blanks', 'Is it so?', '  Is it\u00a0so? '],
  ['an invisible character', 'Is it so?', 'Is it\u200b so?'],
])('names rows that differ only in %s, and gives them one name', async (_, first, second) => {
  const { examples, warnings } = await load(row('a', first, 'A'), row('b', 'Other?', 'B'), row('c', second, 'A'));
  expect(warnings).toEqual([
    expect.stringMatching(/^1 row with question and options as another row but for .*: c ~ a$/),
  ]);
  const [a, b, c] = examples.map(({ nearHash }) => nearHash);
  expect(a).toBe(c);
  expect(a).not.toBe(b);
});

it('takes rows for near copies that differ in what no prompt shows, or in the order of the options', async () => {
  const { examples } = await load(
    row('a', 'So?', 'A', { source: 'x' }),
    row('b', 'So?', 'B', { source: 'y', options: ['No', 'Yes'] }),
  );
  expect(examples[0]?.nearHash).toBe(examples[1]?.nearHash);
});

it('says which labels contradict each other, exact and near copies alike', async () => {
  const { warnings } = await load(
    row('a', 'Is it so?', 'A'),
    row('b', 'Is it so?', 'B'),
    row('c', 'is it so?', 'B'),
    row('d', 'Is it so?', 'B', { options: ['No', 'Yes'] }),
  );
  expect(warnings).toContainEqual(
    '2 rows with a label that a copy of the row contradicts (0-based): b (1) and a (0), c (1) and a (0)',
  );
});

it('folds what is typed in several ways into one', () => {
  expect(foldedText('  \ufb01ne\u00a0\tDAY\u200d ')).toBe('fine day');
  expect(foldedText('STRASSE')).toBe(foldedText('Stra\u00dfe'));
  expect(foldedText('\u039f\u0394\u039f\u03a3')).toBe(foldedText('\u03bf\u03b4\u03bf\u03c2'));
  expect(foldedText('\u201cIt\u2019s\u201d \u2013 so')).toBe('"it\'s" - so');
});
