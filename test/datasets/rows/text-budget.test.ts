import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { mostCharacters, textBudget } from '../../../src/datasets/rows/text-budget.js';
import { lines, refusal, temporaryFolder } from '../temporary-spec.js';

const folder = temporaryFolder();

it('counts the text of all fields, lists and maps included, and names the row that is one too many', () => {
  const exhausted = textBudget(2 ** 20);
  const row = { values: { q: 'x'.repeat(2 ** 18), options: ['y'.repeat(2 ** 18), 1, null] }, number: 1, line: 1 };
  expect(exhausted(row)).toBeNull();
  expect(exhausted({ ...row, number: 2 })).toBeNull();
  const small = { values: { a: { b: 'z' } }, number: 3, line: 3 };
  expect(exhausted(small)).toMatchObject({
    row: '3',
    message: expect.stringMatching(/more than 1 Mi characters, .*limit/),
  });
});

it('leaves room in the heap for the copies that prompts make', () => {
  expect(mostCharacters()).toBeGreaterThan(2 ** 27);
  expect(mostCharacters()).toBeLessThan(2 ** 33);
});

it('ends the reading of a packed file with a fault, long before the heap would', async () => {
  const rows = mostCharacters() / (15 * 2 ** 20) + 2;
  const row = { id: 'x', q: 'a'.repeat(15 * 2 ** 20), options: ['yes', 'no'], answer: 'A' };
  const line = Buffer.from(lines([row]));
  const packed = gzipSync(line, { level: 1 });
  // A gzip file may have several members; each is one row of the same text.
  folder.write('bomb.jsonl.gz', Buffer.concat(Array.from({ length: Math.ceil(rows) }, () => packed)));
  const source = { path: 'bomb.jsonl.gz', format: 'jsonl' };
  const yaml = { source, fields: { options: 'options', label: { field: 'answer', as: 'letter' } } };
  const [message] = await refusal(folder.load(yaml));
  expect(message).toMatch(/^bad-input bomb\.jsonl\.gz:\d+ .*the texts hold more than \d+ Mi characters/);
}, 300_000);
