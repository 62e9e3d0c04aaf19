import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { importLogits } from '../../src/pipeline/import-logits.js';

const root = mkdtempSync(path.join(tmpdir(), 'supportcal-import-'));
afterAll(() => rmSync(root, { recursive: true }));
mkdirSync(path.join(root, 'datasets'));
const json = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const write = (name: string, text: string) => {
  writeFileSync(path.join(root, name), text);
  return path.join(root, name);
};
write('models.yaml', 'models: [{ id: b, role: base }, { id: t, role: post-trained, base: b }]\nsuites: {}\n');
write(
  'datasets/quiz.yaml',
  `source: quiz.jsonl
fields: { id: id, options: options, label: { field: answer, as: letter } }
emptyOptions: skip
prompt: { template: "{question}\\n{options}\\nAnswer:" }
`,
);
const row = (id: string, options: readonly string[]) => ({ id, question: `${id}?`, options, answer: 'A' });
write(
  'datasets/quiz.jsonl',
  json([row('whole', ['one', 'two']), row('empty', ['one', '']), row('inner', ['one', 'one of two'])]),
);

const scores = (rows: readonly object[], unit: 'logits' | 'logprobs' = 'logits', allowMissing = false) =>
  importLogits({
    file: write('scores.jsonl', json(rows)),
    model: 't',
    dataset: 'quiz',
    unit,
    models: path.join(root, 'models.yaml'),
    datasets: path.join(root, 'datasets'),
    cache: path.join(root, 'cache'),
    allowMissing,
  });

describe('importLogits', () => {
  it('does not take rows that the data set leaves out, and counts them', async () => {
    const summary = await scores(['whole', 'empty', 'inner'].map((id) => ({ id, logits: [1, 2] })));
    expect(summary).toMatchObject({ rows: 2, leftOut: 1, missing: 0 });
  });

  it('refuses a row that is none of the data set, another K and another label, with line and column', async () => {
    const rows = [
      { id: 'other', logits: [1, 2] },
      { id: 'whole', logits: [1, 2, 3] },
      { id: 'inner', logits: [1, 2], label: 1 },
    ];
    await expect(scores(rows)).rejects.toThrow(
      /scores\.jsonl:1:7: id: row other: .*no example.*\n.*:2:24: logits: row whole: 3 logits.*2 options\n.*:3:38: label: row inner: label 1, but .* says 0/,
    );
  });

  it('refuses a file in which more than 5 % of the examples have no usable row, unless told to take it', async () => {
    await expect(scores([{ id: 'whole', logits: [1, 2] }])).rejects.toThrow(
      /1 of the 2 examples of "quiz" have no row: .* biased sample.* --allow-missing/,
    );
    expect(await scores([{ id: 'whole', logits: [1, 2] }], 'logits', true)).toMatchObject({ rows: 1, missing: 1 });
  });

  it('takes log-probabilities over 1 in all where one option is the beginning of another, and only there', async () => {
    expect(await scores([{ id: 'inner', logits: [-0.1, -0.2] }], 'logprobs', true)).toMatchObject({ rows: 1 });
    await expect(scores([{ id: 'whole', logits: [-0.1, -0.2] }], 'logprobs')).rejects.toThrow(/sum to 1\.7/);
  });
});
