import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { countedScores, notLogprobs, unitOf } from '../../../../src/datasets/logits/harness/counted-scores.js';
import type { Counting, LogRow } from '../../../../src/datasets/logits/harness/harness.js';
import { type HarnessName, harnessNamed } from '../../../../src/datasets/logits/harness/harness-table.js';
import { compareLogs } from '../../../../src/datasets/logits/harness/same-documents.js';
import { readImportedLogits } from '../../../../src/datasets/logits/read-imported-logits.js';
import { FaultList } from '../../../../src/formats/row/fault-list.js';

const fixtures = path.join(import.meta.dirname, 'fixtures');
const parsed = (file: string) => JSON.parse(gunzipSync(readFileSync(path.join(fixtures, file))).toString());
const inspectFile = `inspect/base/${readdirSync(path.join(fixtures, 'inspect/base'))[0]}`;
const helmFile = 'helm/base/colours-method=multiple_choice_separate_original,model=base/scenario_state.json.gz';

type Values = Record<string, unknown>;
const requests = (): Values[] => parsed(helmFile).request_states.slice(0, 8);
const samples = (): Values[] => parsed(inspectFile).samples.slice(0, 3);

function written(name: string, value: unknown): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'supportcal-lying-')), name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(value, null, 1));
  return file;
}
const inspectLog = (list: Values[]) =>
  written('2026-01-01T00-00-00-00-00_facts_abcdefghijklmnopqrstuv.json', { version: 2, samples: list });
const helmLog = (list: Values[]) => written('run/scenario_state.json', { request_states: list });
const read = (format: HarnessName, file: string, normalize: Counting = 'sum') =>
  readImportedLogits(file, { unit: unitOf(normalize), log: { format, normalize } });
const row: LogRow = {
  id: 'q',
  options: ['yes', 'no'],
  scores: [-1, -2],
  unconditional: null,
  means: [-1, -1],
  label: 0,
  hashes: { document: null, target: null, prompt: null },
};

describe('log-probabilities', () => {
  it('above 0 are refused whatever is made of them, by option and value', () => {
    expect(notLogprobs(row, true)).toBeNull();
    expect(notLogprobs({ ...row, scores: [Number.NaN, -Infinity] }, false)).toBeNull();
    expect(notLogprobs({ ...row, scores: [-1, 0.5] }, true)).toBe(
      'the log-probability of option 2 is 0.5; expected 0 or less',
    );
    expect(notLogprobs({ ...row, unconditional: [-1, Infinity] }, true)).toMatch(
      /without a prompt of option 2 is Infinity/,
    );
    expect(notLogprobs({ ...row, means: [7, -1] }, true)).toMatch(/log-probability a token of option 1 is 7/);
  });

  it('of labels sum to 1 at most; those of texts, of which one begins another, need not', () => {
    const certain = { ...row, scores: [-0.01, -0.01] };
    expect(notLogprobs(certain, true)).toBeNull();
    expect(notLogprobs(certain, false)).toMatch(
      /^the probabilities of the options sum to 1\.98\d+; expected 1 or less$/,
    );
  });

  it('of a text without characters or tokens have no mean, and make no option impossible', () => {
    expect(countedScores({ ...row, options: ['', 'no'] }, 'per-char')).toEqual([Number.NaN, -1]);
    expect(countedScores({ ...row, means: [-Infinity, -1] }, 'mean-token')).toEqual([Number.NaN, -1]);
    expect(countedScores({ ...row, scores: [-Infinity, -2], means: [-Infinity, -1] }, 'mean-token')).toEqual([
      -Infinity,
      -1,
    ]);
  });

  it.each(['sum', 'mean-token', 'per-char'] as const)(
    'of HELM counted by %s: a positive token fails its row by name',
    async (way) => {
      const list = requests();
      const completion = (list[0]!.result as { completions: { tokens: { logprob: number }[] }[] }).completions[0]!;
      completion.tokens.at(-1)!.logprob = 3.5;
      const { rows } = await read('helm', helmLog(list), way);
      expect(rows.map(({ status }) => status)).toEqual(['failed', 'ok']);
      expect(rows[0]).toMatchObject({ reason: 'a token of the answer has the log-probability 3.5, above 0' });
    },
  );
});

describe('a log of HELM', () => {
  it.each<[string, (list: Values[]) => Values[], RegExp]>([
    [
      'the same request twice',
      ([first, ...rest]) => [first!, first!, ...rest],
      /row id0: reference 1 is asked for twice/,
    ],
    [
      'another text under one id',
      ([first, second, ...rest]) => [
        first!,
        { ...second!, instance: { ...(second!.instance as Values), input: { text: 'other' } } },
        ...rest,
      ],
      /row id0: the question has another text or other references than in an earlier request of the same id/,
    ],
    [
      'a trial that is no number',
      ([first, ...rest]) => [{ ...first!, train_trial_index: 'x' }, ...rest],
      /train_trial_index: row id0: expected the number of the trial/,
    ],
    [
      'a reference beyond the last',
      ([first, ...rest]) => [{ ...first!, reference_index: 9 }, ...rest],
      /reference_index: row id0: 9 is the number of no reference \(0 to 3\)/,
    ],
  ])('is refused for %s, with file, line and row', async (_, change, message) => {
    const file = helmLog(change(requests()));
    await expect(read('helm', file)).rejects.toThrow(message);
    await expect(read('helm', file)).rejects.toThrow(/scenario_state\.json:\d+/);
  });
});

describe('a log of Inspect', () => {
  it('has a failed row for a sample that ended with an error, and the reason', async () => {
    const list = samples();
    list[1] = { ...list[1], output: {}, messages: [], error: { message: 'the server was gone' } };
    const { rows, notes } = await read('inspect', inspectLog(list));
    expect(rows.map(({ status }) => status)).toEqual(['ok', 'failed', 'ok']);
    expect(rows[1]).toMatchObject({ reason: 'the sample ended with an error: the server was gone' });
    expect(notes).toContain('1 samples ended with an error of their run and have no scores');
  });

  it('takes the most probable of the candidates that are shown as one letter, in whatever order they stand', async () => {
    const plain = (await read('inspect', inspectLog(samples()))).rows[0]!;
    const list = samples();
    type Candidate = { token: string; logprob: number };
    const { content } = (list[0]!.output as { choices: { logprobs: { content: { top_logprobs: Candidate[] }[] } }[] })
      .choices[0]!.logprobs;
    for (const each of content) {
      const unlikely = each.top_logprobs.map(({ token }) => ({ token, logprob: -50 }));
      each.top_logprobs = [...unlikely, ...each.top_logprobs.reverse()];
    }
    expect((await read('inspect', inspectLog(list))).rows[0]).toEqual(plain);
  });
});

it('two logs of other documents are refused together with all that is wrong in them', async () => {
  const [one, two] = [samples(), samples()];
  two[0] = { ...two[0], input: 'another question' };
  two[1] = { ...two[1], target: 'Z' };
  const faults = new FaultList();
  const files = [inspectLog(one), inspectLog(two)];
  await compareLogs(
    files.map((file) => ({ file, format: 'inspect' as const })),
    {},
    faults,
  );
  expect(faults.list.map(({ field, row, file }) => [field, row, file === files[1]])).toEqual([
    ['doc_hash', 'facts-0001', true],
    ['target', 'facts-0002', true],
  ]);
});

it('of OpenCompass, that lost a label or its entry, is refused by the row; a gold that is none of the labels is named', async () => {
  const entry = (...ppl: number[]) => Object.fromEntries(ppl.map((PPL, k) => [`label: ${'ABC'[k]}`, { PPL }]));
  const log = (...rows: object[]) =>
    read('opencompass', written('t/predictions/m/q.json', Object.fromEntries(rows.entries())), 'mean-token');
  const whole = { ...entry(3, 2, 1), prediction: 'C', gold: 'A' };
  await expect(log(whole, { ...entry(3, 2), prediction: 'C', gold: 'A' })).rejects.toThrow(
    /q\.json: prediction: row 1 \(number 2\): "C", which is none of its labels \(A, B\)/,
  );
  await expect(log(whole, { ...whole, 'label: C': null })).rejects.toThrow(
    /row 1 .*: the entry of the label "C" is no object/,
  );
  const { labels, notes } = await log(whole, { ...whole, gold: 'Z' });
  expect(labels).toEqual([0, null]);
  expect(notes).toEqual([expect.stringMatching(/^1 rows have no gold, or one that is none of the labels: .* \(1\)$/)]);
});

it('a prompt of LightEval that the harness cut fails by name', () => {
  const values = {
    doc: { id: '7', query: 'q', choices: ['a', 'b'], gold_index: 0 },
    model_response: { logprobs: [-1, -2], truncated_tokens_count: 12 },
  };
  const { read: readRow } = harnessNamed('lighteval').reader({});
  expect(readRow({ values, number: 1, line: undefined })).toMatchObject({
    row: { id: '7', scores: [Number.NaN, Number.NaN], absent: expect.stringMatching(/cut 12 tokens off the prompt/) },
  });
  const whole = { ...values, model_response: { logprobs: [-1, -2], truncated_tokens_count: 0 } };
  expect(readRow({ values: whole, number: 1, line: undefined })).toMatchObject({ row: { scores: [-1, -2] } });
});
