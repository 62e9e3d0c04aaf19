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

const scores = (
  rows: readonly object[],
  unit: 'logits' | 'logprobs' = 'logits',
  allowMissing = false,
  dataset = 'quiz',
) =>
  importLogits({
    file: write('scores.jsonl', json(rows)),
    model: 't',
    dataset,
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

  it('does not take rows that a filter did not choose; a file without one that it did is refused', async () => {
    write(
      'datasets/chosen.yaml',
      `source: { path: quiz.jsonl, filter: { field: id, in: [whole, inner] } }
fields: { id: id, options: options, label: { field: answer, as: letter } }
prompt: { template: "{question}\\n{options}\\nAnswer:" }
`,
    );
    const chosen = (rows: readonly object[]) => scores(rows, 'logits', false, 'chosen');
    const summary = await chosen(['whole', 'empty', 'inner'].map((id) => ({ id, logits: [1, 2] })));
    expect(summary).toMatchObject({ rows: 2, leftOut: 1, missing: 0 });
    await expect(chosen([{ id: 'empty', logits: [1, 2] }])).rejects.toThrow(/row empty: .*no example with this id/);
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

describe('importLogits of a log', () => {
  write('datasets/colours.yaml', '{}');
  const sample = (id: number, more: object = {}) => ({
    doc_id: id,
    target: '0',
    arguments: { gen_args_0: { arg_0: 'q', arg_1: ' red' }, gen_args_1: { arg_0: 'q', arg_1: ' blue' } },
    filtered_resps: [
      ['-1.5', 'True'],
      ['-2.5', 'False'],
    ],
    filter: 'none',
    doc_hash: `d${id}`,
    prompt_hash: `p${id}`,
    target_hash: `t${id}`,
    acc: 1,
    ...more,
  });
  const log = (model: string, samples: readonly object[], together?: readonly string[]) =>
    importLogits({
      file: write(`samples-${model}.jsonl`, json(samples)),
      model,
      dataset: 'colours',
      unit: 'logprobs',
      log: { format: 'lm-eval' },
      models: path.join(root, 'models.yaml'),
      datasets: path.join(root, 'datasets'),
      cache: path.join(root, 'log-cache'),
      allowMissing: true,
      ...(together && { together }),
    });
  const three = [0, 1, 2].map((id) => sample(id));

  it('is compared with those of other models that were imported before, document by document', async () => {
    expect((await log('b', three)).notes).toEqual([]);
    expect((await log('t', three)).notes).toEqual([]);
    const other = [sample(0), sample(1, { doc_hash: 'x' }), sample(2, { prompt_hash: 'x', target_hash: 'x' })];
    await expect(log('t', other)).rejects.toThrow(
      /samples-t\.jsonl:2:\d+: doc_hash: row 1: the document is another one than in the import of "b"[\s\S]*:3:\d+: target_hash: row 2: the right answer is another[\s\S]*in one command/,
    );
    const { notes } = await log('t', [sample(0, { prompt_hash: 'x' }), sample(1)]);
    expect(notes).toEqual([
      expect.stringMatching(/^1 rows of the import of "b" and 0 of .* are not in the other/),
      expect.stringMatching(/^1 prompts of .*samples-t.jsonl differ from those of the import of "b"/),
    ]);
  });

  it('is not compared with scores that the same command replaces, nor with those that are no log', async () => {
    const others = three.map((each) => ({ ...each, doc_hash: 'new' }));
    await expect(log('t', others)).rejects.toThrow('the document is another one');
    expect((await log('b', others, ['b', 't'])).notes).toEqual([]);
    expect((await log('t', others, ['b', 't'])).notes).toEqual([]);
    expect((await log('t', others)).notes).toEqual([]);
  });
});
