import { expect, it } from 'vitest';
import { selectionText } from '../../src/datasets/example/row-selection.js';
import { limitDataset } from '../../src/datasets/load-dataset.js';
import { lines, temporaryFolder } from './temporary-spec.js';

const folder = temporaryFolder();
const rows = Array.from({ length: 12 }, (_, n) => ({
  id: `q${n + 10}`,
  question: `${n}?`,
  options: ['yes', 'no'],
  answer: n % 2,
  kind: n % 3 === 0 ? 'x' : 'y',
}));

async function load(source: object) {
  folder.write('rows.jsonl', lines(rows));
  return folder.load({
    source: { path: 'rows.jsonl', ...source },
    fields: { id: 'id', options: 'options', label: { field: 'answer', labelBase: 0 } },
    prompt: { template: '{question}\n{options}\nAnswer:' },
  });
}

it('counts what a filter, a sample and a limit choose, step by step', async () => {
  const filter = { field: 'kind', equals: 'y' };
  const dataset = await load({ filter, sample: { count: 5, seed: 1 } });
  const limited = limitDataset(dataset, 3);
  expect(limited.selection).toEqual([
    { by: 'source.filter', kept: 8, of: 12 },
    { by: 'source.sample', kept: 5, of: 8 },
    { by: '--limit', kept: 3, of: 5 },
  ]);
  expect((await load({ filter, limit: 4 })).selection).toEqual([
    { by: 'source.filter', kept: 4, of: 6 },
    { by: 'source.limit', kept: 4, of: null },
  ]);
});

it('has nothing to say where every row is taken', async () => {
  expect(await load({})).not.toHaveProperty('selection');
  expect(await load({ limit: 12 })).not.toHaveProperty('selection');
  expect(limitDataset(await load({}), 12)).not.toHaveProperty('selection');
});

it('says it in words', () => {
  expect(selectionText({ by: 'source.filter', kept: 2816, of: 4183 })).toBe(
    '2,816 of 4,183 rows kept by source.filter',
  );
  expect(selectionText({ by: 'source.limit', kept: 100, of: null })).toMatch(/^the first 100 rows by source\.limit/);
});
