import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { unitOf } from '../../../../src/datasets/logits/harness/counted-scores.js';
import { findLogs } from '../../../../src/datasets/logits/harness/find-logs.js';
import type { Counting } from '../../../../src/datasets/logits/harness/harness.js';
import { HARNESSES, type HarnessName, harnessNamed } from '../../../../src/datasets/logits/harness/harness-table.js';
import { compareLogs } from '../../../../src/datasets/logits/harness/same-documents.js';
import { readImportedLogits } from '../../../../src/datasets/logits/read-imported-logits.js';
import { SupportCalError } from '../../../../src/errors/supportcal-error.js';
import { FaultList } from '../../../../src/formats/row/fault-list.js';
import { ece } from '../../../../src/metrics/ece.js';
import { softmax } from '../../../../src/numeric/softmax.js';

// Written by LightEval 0.13.0, HELM 0.5.16 and OpenCompass 0.5.4 themselves: see make-*-logs.py.
const fixtures = path.join(import.meta.dirname, 'fixtures');

interface Numbers {
  readonly rows: number;
  readonly accuracy: number;
  readonly ece: number;
}

const expectedOf = (harness: string) => JSON.parse(readFileSync(path.join(fixtures, harness, 'expected.json'), 'utf8'));
const read = (format: HarnessName, file: string, normalize: Counting = 'sum') =>
  readImportedLogits(file, { unit: unitOf(normalize), log: { format, normalize } });

const details = (model: string, task: string) => {
  const folder = path.join(fixtures, 'lighteval', model);
  return path.join(folder, readdirSync(folder).find((name) => name.startsWith(`details_${task}-0_`))!);
};
const helmState = (model: string, method: string) =>
  path.join(fixtures, 'helm', model, `colours-method=${method},model=${model}`, 'scenario_state.json.gz');
const predictions = (model: string, task: string) =>
  path.join(fixtures, 'opencompass', '20260101_000000', 'predictions', model, `${task}.json.gz`);
const SEPARATE = 'multiple_choice_separate_original';
const CALIBRATED = 'multiple_choice_separate_calibrated';

async function hasNumbers(format: HarnessName, file: string, way: Counting, numbers: Numbers): Promise<void> {
  const { rows, labels } = await read(format, file, way);
  const confidences: number[] = [];
  const correct: boolean[] = [];
  for (const [n, row] of rows.entries()) {
    if (row.status !== 'ok') throw new Error(row.reason);
    const probabilities = Array.from(softmax(Float64Array.from(row.logits)));
    confidences.push(Math.max(...probabilities));
    correct.push(probabilities.indexOf(confidences.at(-1)!) === labels[n]);
  }
  expect(rows).toHaveLength(numbers.rows);
  expect(correct.filter(Boolean).length / rows.length).toBeCloseTo(numbers.accuracy, 12);
  expect(ece(confidences, correct)).toBeCloseTo(numbers.ece, 9);
}

function written(name: string, value: unknown): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'supportcal-log-')), name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(value, null, 1));
  return file;
}

async function faultsOf(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(SupportCalError);
  return (error as SupportCalError).message;
}

const WAYS = ['sum', 'mean-token', 'per-char', 'pmi'] as const;

describe('a log of LightEval', () => {
  const expected = expectedOf('lighteval');
  const cases = [
    ['base', 'colours', 'sum'],
    ['base', 'colours', 'per-char'],
    ['instruct', 'colours_mutual', 'mean-token'],
    ['instruct', 'colours_mutual', 'pmi'],
  ] as const;

  it.each(cases)(
    'of %s on %s counted by %s has the numbers of numpy, and its own accuracy',
    async (model, task, way) => {
      const numbers = expected[model][task];
      await hasNumbers('lighteval', details(model, task), way, numbers[way]);
      const name = { sum: 'acc', 'mean-token': 'acc_tokens', 'per-char': 'acc_chars', pmi: 'acc_pmi' }[way];
      expect(numbers[way].accuracy).toBeCloseTo(numbers.reported[name], 12);
    },
  );

  it('is of the task and time in its name, which may hold a bar and a colon', () => {
    const { nameParts } = harnessNamed('lighteval');
    expect(nameParts('/x/details_arc:challenge|25_2026-01-02T03-04-05.678901.parquet')).toEqual({
      task: 'arc:challenge|25',
      written: '2026-01-02T03-04-05.678901',
    });
  });

  it('lacks numbers without a question where the task did not ask for them', async () => {
    expect(await faultsOf(read('lighteval', details('base', 'colours'), 'pmi'))).toContain('which pmi needs');
  });
});

describe('a log of HELM', () => {
  const expected = expectedOf('helm');
  const cases = ['base', 'instruct'].flatMap((model) =>
    [SEPARATE, CALIBRATED].flatMap((method) =>
      WAYS.filter((way) => way in expected[model][method]).map((way) => [model, method, way] as const),
    ),
  );

  it.each(cases)('of %s by %s counted by %s has the numbers of numpy', async (model, method, way) => {
    await hasNumbers('helm', helmState(model, method), way, expected[model][method][way]);
  });

  it('has the accuracy of HELM itself, counted as HELM does', () => {
    for (const numbers of Object.values(expected) as Record<string, Record<string, Record<string, number>>>[]) {
      expect(numbers[SEPARATE]!['mean-token']!.accuracy).toBe(numbers[SEPARATE]!.reported!.exact_match);
      expect(numbers[CALIBRATED]!.pmi!.accuracy).toBe(numbers[CALIBRATED]!.reported!.exact_match);
    }
  });

  type State = Record<string, unknown>;
  const states = () =>
    (JSON.parse(gunzipSync(readFileSync(helmState('base', SEPARATE))).toString()) as { request_states: State[] })
      .request_states;
  const stateFile = (list: readonly State[]) => written('run/scenario_state.json', { request_states: list });

  it('leaves out changed questions and later trials, and names requests that are missing', async () => {
    const all = states();
    const first = all.slice(0, 4);
    const changed = first.map((each) => ({
      ...each,
      instance: { ...(each.instance as State), perturbation: { name: 'typos' } },
    }));
    const later = first.map((each) => ({ ...each, train_trial_index: 1 }));
    const { rows, notes } = await read('helm', stateFile([...first, ...changed, ...later]));
    expect(rows.map(({ id }) => id)).toEqual(['id0']);
    expect(notes).toEqual([
      '4 requests of changed questions (data augmentation) were not taken',
      'the first trial was taken, not 4 requests of later ones',
    ]);
    const message = await faultsOf(read('helm', stateFile([...all.slice(0, 3), ...all.slice(4, 7)])));
    expect(message).toMatch(/row id0: the question has 4 references, but only requests for 1, 2, 3/);
    expect(await faultsOf(read('helm', stateFile(first.slice(0, 2))))).toMatch(
      /row id0: the question has 4 references, but only requests for 1, 2;/,
    );
  });

  it('of one letter a question says which method to run', async () => {
    const [one] = states();
    const { reference_index: _, ...joint } = one!;
    expect(await faultsOf(read('helm', stateFile([joint])))).toContain('method=multiple_choice_separate_original');
  });

  it('whose tokens do not end in the option fails that row alone', async () => {
    const all = states().slice(0, 8);
    all[1] = { ...all[1], result: { success: true, completions: [{ tokens: [{ text: ' grey', logprob: -1 }] }] } };
    const { rows } = await read('helm', stateFile(all));
    expect(rows[0]).toMatchObject({ status: 'failed', reason: expect.stringContaining('do not end in the option') });
    expect(rows.slice(1).every(({ status }) => status === 'ok')).toBe(true);
  });

  it('is of the task in the name of its run, without the model', () => {
    const { nameParts } = harnessNamed('helm');
    expect(nameParts('/b/runs/v1/mmlu:subject=anatomy,method=m,model=org_x/scenario_state.json')).toEqual({
      task: 'mmlu:subject=anatomy,method=m',
      model: 'org_x',
      written: 'v1',
    });
    expect(nameParts('/b/runs/v1/boolq:model=org_x/scenario_state.json')?.task).toBe('boolq');
  });
});

describe('predictions of OpenCompass', () => {
  const expected = expectedOf('opencompass');

  it.each(['base', 'instruct'])(
    'of %s by perplexity have the numbers of numpy, as sums and as means',
    async (model) => {
      await hasNumbers('opencompass', predictions(model, 'colours_ppl'), 'sum', expected[model].sum);
      await hasNumbers('opencompass', predictions(model, 'colours_ppl'), 'mean-token', expected[model]['mean-token']);
    },
  );

  it.each(['base', 'instruct'])('of %s by probabilities of single tokens have the numbers of numpy', async (model) => {
    // The labels of that file are the choices and its gold a letter, so that no row has a label.
    const { rows, labels, notes } = await read('opencompass', predictions(model, 'colours_clp'));
    expect(labels).toEqual(Array.from({ length: 40 }, () => null));
    expect(notes).toEqual([
      '40 rows have no gold, or one that is none of the labels: they count in fits, not in metrics',
    ]);
    const { labels: gold } = await read('opencompass', predictions(model, 'colours_ppl'));
    const top = rows.map((row) => (row.status === 'ok' ? Array.from(softmax(Float64Array.from(row.logits))) : []));
    const right = top.map((each, n) => each.indexOf(Math.max(...each)) === gold[n]);
    expect(
      ece(
        top.map((each) => Math.max(...each)),
        right,
      ),
    ).toBeCloseTo(expected[model].clp.ece, 6);
  });

  const entry = (...ppl: number[]) =>
    Object.fromEntries(
      ppl.map((value, k) => [`label: ${[10, 9, 2][k]}`, { 'testing input': 'abcd', PPL: value, BPB: value }]),
    );

  it('have their labels in the order of their numbers, and a gold that is one of them', async () => {
    const file = written('predictions/m/t.json', { 0: { ...entry(1, 2, 3), prediction: '10', gold: 9 } });
    const { rows, labels } = await read('opencompass', file);
    expect(rows[0]).toMatchObject({ status: 'ok', logits: [-12, -8, -4] });
    expect(labels).toEqual([1]);
  });

  it('that contradict their own numbers, are normalised by a text, or were written by the model are refused', async () => {
    const bad = (value: object) => faultsOf(read('opencompass', written('predictions/m/t.json', { 0: value })));
    expect(await bad({ ...entry(1, 2, 3), prediction: '2' })).toContain('make "10" the most probable label');
    expect(await bad(entry(1, -2, 3))).toContain('normalizing_str');
    expect(await bad({ prediction: 'The answer is A', gold: 'A' })).toContain('lets the model write');
    expect(await faultsOf(read('opencompass', predictions('base', 'colours_ppl'), 'per-char'))).toMatch(
      /no numbers for --normalize per-char; take sum or mean-token/,
    );
  });

  it('without BPB have means alone', async () => {
    const plain = { 'label: A': { PPL: 1 }, 'label: B': { PPL: 2 }, gold: 'A' };
    const file = written('predictions/m/t.json', { 0: plain });
    expect(await faultsOf(read('opencompass', file))).toContain('take --normalize mean-token');
    expect((await read('opencompass', file, 'mean-token')).rows[0]).toMatchObject({ logits: [-1, -2] });
  });

  it('of log-likelihoods are taken as they are', async () => {
    const row = { 'label: A': { Loglikelihood: -3 }, 'label: B': { Loglikelihood: -1.5 }, gold: 'B', prediction: 'B' };
    const { rows, labels } = await read('opencompass', written('predictions/m/t.json', { 0: row }));
    expect([rows[0], labels]).toMatchObject([{ logits: [-3, -1.5] }, [1]]);
  });
});

describe('logs of every harness', () => {
  it.each([
    ['lighteval', details('base', 'colours'), details('instruct', 'colours')],
    ['helm', helmState('base', SEPARATE), helmState('instruct', SEPARATE)],
    ['opencompass', predictions('base', 'colours_ppl'), predictions('instruct', 'colours_ppl')],
  ] as const)('of %s by two models are of the same documents and prompts', async (format, one, other) => {
    const faults = new FaultList();
    const notes = await compareLogs(
      [one, other].map((file) => ({ file, format })),
      {},
      faults,
    );
    expect([notes, faults.count]).toEqual([[], 0]);
  });

  it('are found in folders, one model at a time', async () => {
    const helm = await findLogs(path.join(fixtures, 'helm', 'base'));
    expect([...helm.files.keys()]).toHaveLength(2);
    const { files } = await findLogs(path.join(fixtures, 'opencompass', '20260101_000000', 'predictions', 'base'));
    expect([...files.keys()]).toEqual(['colours_clp', 'colours_ppl']);
    expect((await findLogs(path.join(fixtures, 'lighteval', 'base'))).files.size).toBe(2);
    const message = await faultsOf(findLogs(path.join(fixtures, 'opencompass')));
    expect(message).toContain('holds logs of the same task by several models');
    const nothing = await faultsOf(findLogs(mkdtempSync(path.join(tmpdir(), 'supportcal-log-'))));
    for (const { name } of HARNESSES) expect(nothing).toContain(`${name}: `);
  });
});
