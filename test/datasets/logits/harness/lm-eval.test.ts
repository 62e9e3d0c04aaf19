import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { unitOf } from '../../../../src/datasets/logits/harness/counted-scores.js';
import { findLogs } from '../../../../src/datasets/logits/harness/find-logs.js';
import type { Counting } from '../../../../src/datasets/logits/harness/harness.js';
import { compareLogs } from '../../../../src/datasets/logits/harness/same-documents.js';
import { readImportedLogits } from '../../../../src/datasets/logits/read-imported-logits.js';
import { SupportCalError } from '../../../../src/errors/supportcal-error.js';
import { FaultList } from '../../../../src/formats/row/fault-list.js';
import { ece } from '../../../../src/metrics/ece.js';
import { softmax } from '../../../../src/numeric/softmax.js';

// Written by lm-evaluation-harness 0.4.13 itself: see make-lm-eval-logs.py.
const logs = path.join(import.meta.dirname, 'fixtures', 'lm-eval');
interface Measured {
  rows: number;
  accuracy: number;
  ece: number;
}
type Expected = Record<string, Record<string, Record<Counting, Measured> & { reported: Record<string, number> }>>;
const expected = JSON.parse(readFileSync(path.join(logs, 'expected.json'), 'utf8')) as Expected;

const logOf = (model: string, task: string) => {
  const [folder] = readdirSync(path.join(logs, model));
  const names = readdirSync(path.join(logs, model, folder!));
  return path.join(logs, model, folder!, names.find((name) => name.startsWith(`samples_${task}_2`))!);
};
const linesOf = (model: string, task: string) =>
  gunzipSync(readFileSync(logOf(model, task)))
    .toString()
    .trim()
    .split('\n');

const read = (file: string, normalize: Counting = 'sum', more: object = {}) =>
  readImportedLogits(file, { unit: unitOf(normalize), log: { format: 'lm-eval', normalize, ...more } });

function written(samples: readonly object[]): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'supportcal-log-')), 'samples_t_2026-01-01T00-00-00.jsonl');
  writeFileSync(file, samples.map((sample) => `${JSON.stringify(sample)}\n`).join(''));
  return file;
}

function sample(more: object = {}): Record<string, unknown> {
  const [options, prompt] = [[' 2', ' 1', ' 7'], 'How many?'];
  const entries = options.map((option, k) => [`gen_args_${k}`, { arg_0: prompt, arg_1: option }]);
  return {
    doc_id: 0,
    target: '7',
    arguments: Object.fromEntries(entries),
    filtered_resps: [
      ['-2.5', 'False'],
      ['-3.5', 'False'],
      ['-1.0', 'True'],
    ],
    filter: 'none',
    doc_hash: 'd0',
    prompt_hash: 'p0',
    target_hash: 't0',
    acc: 1,
    ...more,
  };
}

async function faultsOf(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(SupportCalError);
  return (error as SupportCalError).message;
}

describe('a log of lm-evaluation-harness', () => {
  const cases = Object.keys(expected).flatMap((model) => [
    ...(['sum', 'per-char'] as const).map((way) => [model, 'colours', way] as const),
    ...(['sum', 'per-char', 'pmi'] as const).map((way) => [model, 'colours_mutual', way] as const),
  ]);

  it.each(cases)(
    'of %s on %s counted by %s has the accuracy and ECE of numpy on the raw log',
    async (model, task, way) => {
      const { rows, labels } = await read(logOf(model, task), way);
      const confidences: number[] = [];
      const correct: boolean[] = [];
      for (const [n, row] of rows.entries()) {
        if (row.status !== 'ok') throw new Error(row.reason);
        const probabilities = Array.from(softmax(Float64Array.from(row.logits)));
        const best = Math.max(...probabilities);
        confidences.push(best);
        correct.push(probabilities.indexOf(best) === labels[n]);
      }
      const numbers = expected[model]![task]![way];
      expect(rows).toHaveLength(numbers.rows);
      expect(correct.filter(Boolean).length / rows.length).toBeCloseTo(numbers.accuracy, 12);
      expect(ece(confidences, correct)).toBeCloseTo(numbers.ece, 12);
      const name = { sum: 'acc', 'per-char': 'acc_norm', pmi: 'acc_mutual_info' }[way];
      const reported = Object.entries(expected[model]![task]!.reported).find(([key]) => key.startsWith(`${name},`));
      if (reported !== undefined) expect(numbers.accuracy).toBeCloseTo(reported[1], 12);
    },
  );

  it('that repeats every document under a second filter gives each once, and says which filter was taken', async () => {
    const first = await read(logOf('base', 'colours_mutual'));
    expect(first.notes).toEqual([
      'the rows of filter "first" were taken, not those of "again" (40 rows); --filter names another',
    ]);
    const again = await read(logOf('base', 'colours_mutual'), 'sum', { filter: 'again' });
    expect(again.lines[0]).toBe(41);
    expect(again.rows).toEqual(first.rows);
    expect(await faultsOf(read(logOf('base', 'colours'), 'sum', { filter: 'x' }))).toContain(
      'no row of the filter "x"',
    );
  });

  it('keeps the sums of the options alone where unconditional ones follow them', async () => {
    const [one, two] = [await read(logOf('base', 'colours')), await read(logOf('base', 'colours_mutual'))];
    expect(two.rows).toEqual(one.rows);
    expect(two.labels).toEqual(one.labels);
  });

  it('without unconditional responses is refused for pmi, with file, line and row', async () => {
    const message = await faultsOf(read(logOf('base', 'colours'), 'pmi'));
    expect(message).toMatch(/samples_colours_.*jsonl\.gz:1:1.*has no scores without a prompt/);
    expect(message).toContain('and 35 more rows like it');
  });

  it('whose target is number and text of different options needs --label-as', async () => {
    const ambiguous = written([sample({ target: '2' })]);
    expect(await faultsOf(read(ambiguous))).toContain('say which with --label-as index or text');
    expect((await read(ambiguous, 'sum', { labelAs: 'index' })).labels).toEqual([2]);
    // The accuracy of the log says that the best option, number 2, was the right one.
    expect(await faultsOf(read(ambiguous, 'sum', { labelAs: 'text' }))).toContain('does not go with "acc": 1');
    expect((await read(written([sample()]))).labels).toEqual([2]);
  });

  it('takes no label where several options are right or options stand in the prompts, and says so', async () => {
    const prompts = { gen_args_0: { arg_0: 'Ann', arg_1: ' won' }, gen_args_1: { arg_0: 'Bob', arg_1: ' won' } };
    const { labels, notes } = await read(
      written([
        sample({ target: '[0, 2]' }),
        sample({ doc_id: 1, target: '0', acc: 0.4 }),
        sample({
          doc_id: 2,
          target: 'won',
          arguments: prompts,
          filtered_resps: [
            ['-1', 'True'],
            ['-2', 'True'],
          ],
        }),
        sample({ doc_id: 3 }),
      ]),
    );
    expect(labels).toEqual([null, null, null, 2]);
    expect(notes).toEqual(['3 rows have no single right option in the log: they count in fits, not in metrics']);
  });

  it('has all its faults listed at once, each with line, field and row', async () => {
    const message = await faultsOf(
      read(
        written([
          sample({ filtered_resps: [['-1', 'False']] }),
          sample({ doc_id: 1, target: '9' }),
          sample({ doc_id: 2, arguments: { gen_args_0: { arg_0: 'Write', arg_1: { until: ['.'] } } } }),
          sample({
            doc_id: 3,
            filtered_resps: [
              ['low', 'False'],
              ['-3', 'False'],
              ['-1', 'True'],
            ],
          }),
          { ...sample(), doc_id: undefined },
        ]),
      ),
    );
    expect(message).toMatch(
      /jsonl:1:\d+.*filtered_resps.*row 0.*1 responses, but the field "arguments" has 3 requests/,
    );
    expect(message).toMatch(/jsonl:2:\d+.*target.*row 1.*"9" is neither the text of one of the 3 options/);
    expect(message).toMatch(/jsonl:3:\d+.*arguments.*row 2.*lets the model write/);
    expect(message).toMatch(/jsonl:4:\d+.*filtered_resps.*row 3.*response 1 is \["low","False"\]/);
    expect(message).toMatch(/jsonl:5:\d+.*doc_id.*missing/);
  });

  it('of an older release has lists of requests, numbers and no filter', async () => {
    const requests = [' 2', ' 1', ' 7'].map((option) => ['How many?', option]);
    const responses = [-2.5, -3.5, -1].map((score) => [score, false]);
    const { filter: _, ...older } = sample({ target: 2, arguments: requests, filtered_resps: responses });
    const { rows, labels } = await read(written([older]));
    expect(rows[0]).toMatchObject({ status: 'ok', logits: [-2.5, -3.5, -1] });
    expect(labels).toEqual([2]);
  });

  it('with hostile values is refused by the fields that hold them', async () => {
    const nested = JSON.parse('{"__proto__": {"arg_0": "a", "arg_1": "b"}, "gen_args_0": null}') as object;
    const many = Object.fromEntries(
      Array.from({ length: 500 }, (_, k) => [`gen_args_${k}`, { arg_0: 'q', arg_1: `${k}` }]),
    );
    const message = await faultsOf(
      read(
        written([
          sample({ arguments: nested }),
          sample({ doc_id: 1, arguments: many, filtered_resps: Array.from({ length: 500 }, () => ['-1', 'False']) }),
          sample({ doc_id: { a: 1 }, filtered_resps: 'x' }),
        ]),
      ),
    );
    expect(message).toMatch(/arguments.*row 0.*found none for request/);
    expect(message).toMatch(/arguments.*row 1.*expected 2 to 26 options, found 500/);
    expect(message).toMatch(/filtered_resps.*row 3.*expected \[log-probability/);
  });

  it('reads numbers that are not finite as Python writes them', async () => {
    const responses = [
      ['-inf', 'False'],
      ['-3', 'False'],
      ['-1', 'True'],
    ];
    const { rows } = await read(
      written([
        sample({ filtered_resps: responses }),
        sample({ doc_id: 1, acc: 0, filtered_resps: [['nan', 'False'], ...responses.slice(1)] }),
      ]),
    );
    expect(rows[0]).toMatchObject({ status: 'ok', logits: [-Infinity, -3, -1] });
    expect(rows[1]).toMatchObject({ status: 'failed' });
  });
});

describe('logs of two models', () => {
  it('are found by task, the newest of each', async () => {
    const { files, notes } = await findLogs(path.join(logs, 'base'));
    expect([...files.keys()].sort()).toEqual(['colours', 'colours_mutual']);
    expect(notes).toEqual([]);
    await expect(findLogs(import.meta.dirname.replace(/harness$/, 'harness/none'))).rejects.toThrow('folder of logs');
  });

  it('of the same documents have no fault', async () => {
    const faults = new FaultList();
    const compared = ['base', 'instruct'].map((model) => ({
      file: logOf(model, 'colours'),
      format: 'lm-eval' as const,
    }));
    expect(await compareLogs(compared, {}, faults)).toEqual([]);
    expect(faults.count).toBe(0);
  });

  it('of another document or right answer are refused row by row; other prompts are reported', async () => {
    const base = linesOf('base', 'colours').map((line) => JSON.parse(line) as Record<string, unknown>);
    const changed = base.map((row, n) => ({
      ...row,
      prompt_hash: `chat-${n}`,
      ...(n === 3 && { doc_hash: 'other' }),
      ...(n === 5 && { target_hash: 'other' }),
    }));
    const faults = new FaultList();
    const compared = [written(base), written(changed)].map((file) => ({ file, format: 'lm-eval' as const }));
    const notes = await compareLogs(compared, {}, faults);
    expect(notes[0]).toMatch(/^40 prompts of .* differ from those of/);
    expect(faults.list).toMatchObject([
      { line: 4, field: 'doc_hash', row: '3' },
      { line: 6, field: 'target_hash', row: '5' },
    ]);
  });

  it('whose options stand in another order are refused, whatever the log says of its documents', async () => {
    const base = linesOf('base', 'colours').map((line) => JSON.parse(line) as Record<string, unknown>);
    const turned = (values: unknown[]) => [...values.slice(1), ...values.slice(0, 1)];
    const changed = base.map(({ acc: _, arguments: asked, filtered_resps: given, ...row }, n) => {
      if (n !== 3) return { ...row, arguments: asked, filtered_resps: given };
      const others = turned(Object.values(asked as object)).map((each, k) => [`gen_args_${k}`, each]);
      return { ...row, arguments: Object.fromEntries(others), filtered_resps: turned(given as unknown[]) };
    });
    const nameless = (rows: Record<string, unknown>[]) => rows.map(({ doc_hash: _, ...row }) => row);
    for (const [first, second] of [[base, changed] as const, [nameless(base), nameless(changed)] as const]) {
      const faults = new FaultList();
      const compared = [written([...first]), written([...second])].map((file) => ({
        file,
        format: 'lm-eval' as const,
      }));
      await compareLogs(compared, {}, faults);
      expect(faults.list).toMatchObject([{ line: 4, field: 'doc_hash', row: '3' }]);
    }
  });
});
