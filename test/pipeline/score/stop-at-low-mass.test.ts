import { expect, test } from 'vitest';
import { reasonKey, reasonOn } from '../../../src/contract/failure-reasons.js';
import type { ScoredRow } from '../../../src/contract/scored-row.js';
import type { ModelFacts, ModelJob, Scorer, ScoringEvents, ScoringJob } from '../../../src/contract/scorer.js';
import { SupportCalError } from '../../../src/errors/supportcal-error.js';
import { stopAtLowMass } from '../../../src/pipeline/score/stop-at-low-mass.js';

const SETTINGS = { device: 'cpu', cores: 1 } as const;
const FACTS = {} as ModelFacts;

/** Scores two rows at a time, job by job; the mass is in the text of a prompt. */
const scorer: Scorer = async (jobs) =>
  await Promise.all(
    jobs.map(async ({ model, jobs: ofModel }) => {
      try {
        for (const { prompts, onRows } of ofModel) {
          for (let from = 0; from < prompts.length; from += 2) {
            const rows = prompts.slice(from, from + 2).map(({ id, text }): ScoredRow => {
              const numbers = { logits: Float32Array.of(1, 2), logZ: 3, promptTokens: 4 };
              return { status: 'ok', id, optionMass: Number(text), ...numbers };
            });
            await onRows(rows, FACTS);
          }
        }
        return { kind: 'done', model: model.id, facts: FACTS, seconds: 1, tokens: 1 } as const;
      } catch (error) {
        if (!(error instanceof SupportCalError) || error.code !== 'bad-input') throw error;
        return { kind: 'failed', model: model.id, reason: error.message } as const;
      }
    }),
  );

function jobOf(dataset: string, masses: readonly number[], mode: 'letter' | 'text' = 'letter') {
  const kept: string[] = [];
  const prompts = masses.map((mass, n) => ({
    id: `${dataset}${n}`,
    text: String(mass),
    mode,
    continuations: ['A', 'B'],
    answerPrefix: null,
  }));
  const onRows = async (rows: readonly ScoredRow[]) => void kept.push(...rows.map(({ id }) => id));
  return { job: { dataset, prompts, onRows } satisfies ScoringJob, kept };
}

async function run(jobs: readonly ScoringJob[], limit = 0.001, events: ScoringEvents = {}, inner = scorer) {
  const model = { id: 'm', role: 'base', bucket: 'b', prompt: 'raw' } as const;
  const job: ModelJob = { model, place: { kind: 'gguf', path: '', bytes: 1 }, jobs };
  const [outcome] = await stopAtLowMass(inner, () => limit)([job], SETTINGS, events);
  return outcome;
}

const rows = (count: number, mass: number) => Array.from({ length: count }, () => mass);

test('a model that answers with no option is stopped after a handful of rows, which are kept; others go on', async () => {
  const [good, bad, last] = [jobOf('g', rows(60, 0.9)), jobOf('b', rows(60, 1e-5)), jobOf('l', rows(60, 0.5))];
  expect(await run([good.job, bad.job, last.job])).toEqual({
    kind: 'failed',
    model: 'm',
    reason: expect.stringMatching(
      /^b: stopped after 6 of 60 rows: its median option mass is 0\.000010, under 0\.001: .*minimumOptionMass: 0/,
    ),
    leftOut: { b: expect.stringMatching(/^stopped after 6 of 60 rows/) },
  });
  expect([good.kept.length, bad.kept.length, last.kept.length]).toEqual([60, 6, 60]);
  expect(new Set(good.kept).size).toBe(60);
});

test('a reason to leave a model out on one data set is none of the others, which may have their own', async () => {
  const [bad, good] = [jobOf('b', rows(60, 1e-5)), jobOf('g', rows(60, 0.9))];
  const said: string[] = [];
  const events: ScoringEvents = {
    onModelEnd: ({ kind }) => said.push(kind),
    onLog: (level, message) => said.push(`${level}: ${message.slice(0, 24)}`),
  };
  let round = 0;
  const crashing: Scorer = async (jobs, settings, heard) => {
    const [outcome] = round++ === 0 ? await scorer(jobs, settings, heard) : [];
    const end = outcome ?? ({ kind: 'failed', model: 'm', reason: 'it crashed at g' } as const);
    heard.onModelEnd?.(end);
    return [end];
  };
  const outcome = await run([bad.job, good.job], 0.001, events, crashing);
  expect(said).toEqual(['warn: m is left out on b: stop', 'failed']);
  if (outcome?.kind !== 'failed') throw new Error('it did not fail');
  expect(outcome.reason).toBe('it crashed at g');
  const ofB = outcome.leftOut?.b ?? '';
  const reasons = new Map([
    ['m', outcome.reason],
    [reasonKey('m', 'b'), ofB],
  ]);
  expect(reasonOn(reasons, 'm', 'b')).toMatch(/^stopped after/);
  expect(reasonOn(reasons, 'm', 'g')).toBe('it crashed at g');
});

test('every data set that fails is named', async () => {
  const [first, second] = [jobOf('x', rows(60, 0)), jobOf('y', rows(60, 0))];
  expect(await run([first.job, second.job])).toMatchObject({
    reason: expect.stringMatching(/^x: stopped .*; y: stopped/),
  });
  expect([first.kept.length, second.kept.length]).toEqual([6, 6]);
});

test.each([
  ['a median above the limit', jobOf('d', [0, 0, ...rows(58, 0.4)]), 0.001],
  ['few rows, of which the report tells', jobOf('d', rows(50, 0)), 0.001],
  ['the texts of options', jobOf('d', rows(60, 0), 'text'), 0.001],
  ['a data set that accepts it', jobOf('d', rows(60, 0)), 0],
])('%s: all rows are scored', async (_, { job, kept }, limit) => {
  expect(await run([job], limit)).toMatchObject({ kind: 'done' });
  expect(kept).toHaveLength(job.prompts.length);
});
