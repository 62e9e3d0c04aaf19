import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { compareLogs } from '../../../../src/datasets/logits/harness/same-documents.js';
import { readImportedLogits } from '../../../../src/datasets/logits/read-imported-logits.js';
import { SupportCalError } from '../../../../src/errors/supportcal-error.js';
import { FaultList } from '../../../../src/formats/row/fault-list.js';
import { ece } from '../../../../src/metrics/ece.js';
import { softmax } from '../../../../src/numeric/softmax.js';

// Written by Inspect 0.3.285 itself, which asked a real llama-server for demo models: see make-inspect-logs.py.
const logs = path.join(import.meta.dirname, 'fixtures', 'inspect');
const logOf = (model: string) => path.join(logs, model, readdirSync(path.join(logs, model))[0]!);
const logIn = (folder: string) => {
  const place = path.join(logs, '..', folder);
  return path.join(place, readdirSync(place)[0]!);
};
const expectedOf = (model: string) =>
  JSON.parse(readFileSync(path.join(logs, `${model}-expected.json`), 'utf8')) as Record<string, number>;
const read = (file: string) => readImportedLogits(file, { unit: 'logprobs', log: { format: 'inspect' } });

type Sample = Record<string, unknown>;
const samples = () =>
  (JSON.parse(gunzipSync(readFileSync(logOf('base'))).toString()) as { samples: Sample[] }).samples.slice(0, 3);

function written(rows: readonly Sample[]): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-inspect-'));
  const file = path.join(folder, '2026-01-01T00-00-00-00-00_facts_abcdefghijklmnopqrstuv.json');
  writeFileSync(file, JSON.stringify({ version: 2, samples: rows }, null, 1));
  return file;
}

async function faultsOf(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(SupportCalError);
  return (error as SupportCalError).message;
}

describe('a log of Inspect', () => {
  it.each(['base', 'other'])(
    'of %s has the accuracy and ECE of numpy on the raw log, and its own accuracy',
    async (model) => {
      const { rows, labels } = await read(logOf(model));
      const confidences: number[] = [];
      const correct: boolean[] = [];
      for (const [n, row] of rows.entries()) {
        if (row.status !== 'ok') continue;
        const probabilities = Array.from(softmax(Float64Array.from(row.logits)));
        const best = Math.max(...probabilities);
        confidences.push(best);
        correct.push(probabilities.indexOf(best) === labels[n]);
      }
      const numbers = expectedOf(model);
      expect(confidences).toHaveLength(numbers.rows!);
      expect(correct.filter(Boolean).length / correct.length).toBeCloseTo(numbers.accuracy!, 12);
      expect(ece(confidences, correct)).toBeCloseTo(numbers.ece!, 12);
      expect(numbers.accuracy).toBeCloseTo(numbers.reported!, 12);
    },
  );

  it('whose letters are not among the logged candidates has no usable row', async () => {
    expect(expectedOf('instruct').rows).toBe(0);
    const message = await faultsOf(read(logOf('instruct')));
    expect(message).toMatch(
      /no row has usable logits.*not among the candidates that the log has for the answer: B, C, D/,
    );
  });

  it('takes the first epoch, counts lists of targets and replies without an answer', async () => {
    const [one, two, three] = samples() as [Sample, Sample, Sample];
    const output = { choices: [{ logprobs: { content: [{ token: 'Hm', logprob: -1, top_logprobs: [] }] } }] };
    const { rows, labels, notes } = await read(
      written([one, { ...one, epoch: 2 }, { ...two, target: ['A', 'B'] }, { ...three, output }]),
    );
    expect(rows.map(({ status }) => status)).toEqual(['ok', 'ok', 'failed']);
    expect(labels).toEqual([2, null, 3]);
    expect(notes).toEqual([
      'the samples of the first epoch were taken, not 1 of later ones',
      '1 samples have no single target: they count in fits, not in metrics',
      '1 replies have no answer letter, so that no score of an option is known',
    ]);
  });

  it('has all its faults listed at once, each with line, field and row', async () => {
    const [one, two, three] = samples() as [Sample, Sample, Sample];
    const shuffled = { ...one, choices: [...(one.choices as string[])].reverse() };
    const message = await faultsOf(
      read(
        written([
          shuffled,
          { ...two, output: { choices: [{}] } },
          { ...three, target: 'Z' },
          { ...one, id: 'x', choices: null },
        ]),
      ),
    );
    expect(message).toMatch(/json:\d+:\d+.*messages.*row facts-0001.*was the task shuffled/);
    expect(message).toMatch(/json:\d+:\d+.*output.*row facts-0002.*has no log-probabilities/);
    expect(message).toMatch(/json:\d+:\d+.*target.*row facts-0003.*expected a letter from A to D, found "Z"/);
    expect(message).toMatch(/json:\d+:\d+.*choices.*row x.*multiple-choice/);
  });

  it('that is packed as .eval has the same rows as its JSON', async () => {
    const packed = await read(logIn('inspect-packed'));
    const plain = await read(logOf('base'));
    expect({ ...packed, lines: [] }).toEqual({ ...plain, lines: [] });
    expect(packed.rows).toHaveLength(24);
  });

  it('is compared with that of another model by its questions, choices and targets', async () => {
    const faults = new FaultList();
    const logsOf = (files: readonly string[]) => files.map((file) => ({ file, format: 'inspect' as const }));
    expect(await compareLogs(logsOf([logOf('base'), logOf('other')]), {}, faults)).toEqual([]);
    expect(faults.count).toBe(0);
    const [one, two] = samples() as [Sample, Sample];
    const notes = await compareLogs(logsOf([logOf('base'), written([one, { ...two, input: 'Another?' }])]), {}, faults);
    expect(faults.list).toMatchObject([{ field: 'doc_hash', row: 'facts-0002' }]);
    expect(notes[0]).toMatch(/^22 rows of .* and 0 of .* are not in the other/);
  });
});
