import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { mostTextBytes, textBudget } from '../../../src/datasets/rows/text-budget.js';
import { builtCommandLine } from '../../built-modules.js';
import { QUIZ, quizWorkspace } from '../../pipeline/quiz-workspace.js';
import { lines } from '../temporary-spec.js';

it('counts the text of all fields, lists and maps included, and names the row that is one too many', () => {
  const exhausted = textBudget(2 ** 20 + 3 * 112);
  const row = { values: { q: 'x'.repeat(2 ** 18), options: ['y'.repeat(2 ** 18), 1, null] }, number: 1, line: 1 };
  expect(exhausted(row)).toBeNull();
  expect(exhausted({ ...row, number: 2 })).toBeNull();
  const small = { values: { a: { b: 'z' } }, number: 3, line: 3 };
  expect(exhausted(small)).toMatchObject({
    row: '3',
    message: expect.stringMatching(/more than 1 MiB, .*limit/),
  });
});

it('counts two bytes for each character of a text that leaves Latin-1', () => {
  const exhausted = textBudget(2 * 112 + 10);
  expect(exhausted({ values: { q: 'éééé', r: 'ддд' }, number: 1, line: 1 })).toBeNull();
  expect(exhausted({ values: { q: 'é' }, number: 2, line: 2 })).toMatchObject({ row: '2' });
});

it('counts rows as well, which take memory however short they are', () => {
  const exhausted = textBudget(1_000);
  const row = (number: number) => ({ values: { q: 'x', n: 1 }, number, line: number });
  expect(Array.from({ length: 8 }, (_, n) => exhausted(row(n + 1)))).toEqual(Array(8).fill(null));
  expect(exhausted(row(9))).toMatchObject({
    message: expect.stringMatching(/there are 9 rows, which is all that memory/),
  });
});

it('leaves room in the heap for the copies that prompts make', () => {
  expect(mostTextBytes()).toBeGreaterThan(2 ** 27);
  expect(mostTextBytes()).toBeLessThan(2 ** 33);
});

it('ends the reading of a packed file with a fault, long before the heap would', () => {
  const row = { id: 'x', question: 'a'.repeat(15 * 2 ** 20), options: ['yes', 'no'], answer: 'A' };
  const packed = gzipSync(Buffer.from(lines([row])), { level: 1 });
  const workspace = quizWorkspace([], QUIZ.replace('quiz.jsonl', '{path: bomb.jsonl.gz, format: jsonl}'));
  // A gzip file may have several members; each is one row of the same text, all of them more than the heap.
  writeFileSync(workspace.file('datasets/bomb.jsonl.gz'), Buffer.concat(Array.from({ length: 40 }, () => packed)));
  const { suite, models, datasets, cache, out } = workspace.options;
  const places = ['--suite', suite, '--models', models, '--datasets', datasets, '--cache', cache, '--out', out];
  const argv = ['--max-old-space-size=192', builtCommandLine(), 'calibrate', ...places];
  const { status, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  expect(status).toBe(3);
  expect(stderr).toMatch(/bomb\.jsonl\.gz:\d+.*the texts hold more than \d+ MiB/);
});
