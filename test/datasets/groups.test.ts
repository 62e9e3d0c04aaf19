import { expect, it } from 'vitest';
import { lines, temporaryFolder } from './temporary-spec.js';

const folder = temporaryFolder();
const yaml = (group?: string) => ({
  source: 'rows.jsonl',
  fields: {
    id: 'id',
    options: 'options',
    label: { field: 'answer', as: 'letter' },
    ...(group !== undefined && { group }),
  },
  prompt: { template: '{question}\n{options}\nAnswer:' },
});
const row = (id: string, passage: unknown) => ({
  id,
  question: `${id}?`,
  options: ['Yes', 'No'],
  answer: 'A',
  passage,
});

it('a row has the group that its field names, a number as text, none where it is empty', async () => {
  folder.write('rows.jsonl', lines([row('a', 'p1'), row('b', 7), row('c', ''), row('d', null)]));
  const { examples, hash } = await folder.load(yaml('passage'));
  expect(examples.map(({ group }) => group ?? null)).toEqual(['p1', '7', null, null]);
  // Scores that are in the cache already are found again: naming a group changes no row.
  expect((await folder.load(yaml())).hash).toBe(hash);
});

it('a field that is not there, or is no single value, is a fault with its place', async () => {
  folder.write('rows.jsonl', lines([row('a', ['p1']), row('b', 'p2')]));
  await expect(folder.load(yaml('passage'))).rejects.toThrow(/row a: expected a text or a number/);
  await expect(folder.load(yaml('chapter'))).rejects.toThrow(/chapter/);
});
