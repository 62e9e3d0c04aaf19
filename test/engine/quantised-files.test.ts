import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ExamplePrompt } from '../../src/contract/prompt.js';
import type { ModelRow } from '../../src/contract/scored-row.js';
import type { ModelFacts, ModelOutcome } from '../../src/contract/scorer.js';
import { scoreModels } from '../../src/scoring/score-models.js';

const fixtures = path.resolve(import.meta.dirname, '../fixtures/quantised');
const demo = path.resolve(import.meta.dirname, '../../models/demo');
const quantised = readdirSync(fixtures).filter((name) => name.endsWith('.gguf'));
// In F16, one of them with a sliding window; in Q4_1 a file may be evaluated in batches, in all other types it must
// not.
const files = [
  ...quantised.map((name) => path.join(fixtures, name)),
  ...['tern-base.gguf', 'dunlin-base.gguf'].map((name) => path.join(demo, name)),
];

const letter = (n: number): ExamplePrompt => ({
  id: `letter ${n}`,
  // Lengths with every remainder by four, some of which make one batch.
  text: `Question ${n}: ${'which of these is it? '.repeat(1 + (n % 3))}${'x'.repeat(n)}\nAnswer:`,
  mode: 'letter',
  continuations: ['A', 'B', 'C'],
  answerPrefix: null,
});
const text = (n: number): ExamplePrompt => ({
  ...letter(n),
  id: `text ${n}`,
  mode: 'text',
  continuations: ['one', 'two', 'forty-two'],
  textScore: { normalize: 'sum' },
});
const rotated = (n: number): ExamplePrompt => {
  const { text: prompt } = letter(n);
  const orders = ['ABC', 'BCA', 'CAB'].map((order) => ({
    text: `${prompt.replace('Answer:', '')}${[...order].join(' or ')}\nAnswer:`,
    continuations: [...order],
  }));
  return { ...letter(n), id: `rotated ${n}`, text: orders[0]?.text ?? '', mode: 'rotations', rotations: orders };
};

const numbers = Array.from({ length: 11 }, (_, n) => n);
const jobs = [numbers.map(letter), numbers.map(text), numbers.map(rotated)];

interface Scored {
  readonly outcome: ModelOutcome | undefined;
  readonly rows: ReadonlyMap<string, ModelRow>;
  readonly facts: ModelFacts | undefined;
}

/** Scores jobs, a data set each, with every file; a fresh process on each core takes one file after the other. */
async function score(
  paths: readonly string[],
  sets: readonly (readonly ExamplePrompt[])[],
  sequences?: number,
): Promise<Map<string, Scored>> {
  const told = paths.map((file) => ({ file, rows: new Map<string, ModelRow>(), facts: [] as ModelFacts[] }));
  const jobs = told.map(({ file, rows, facts }) => {
    const model = { id: path.basename(file), role: 'base', bucket: 'b', prompt: 'raw' } as const;
    return {
      model: sequences === undefined ? model : { ...model, scoring: { sequences } },
      place: { kind: 'gguf' as const, path: file, bytes: statSync(file).size },
      jobs: sets.map((prompts, n) => ({
        dataset: `d${n}`,
        prompts,
        // No kept tokens: these are a matter of the whole data set, whichever rows of it are scored.
        sharing: null,
        onRows: async (group: readonly ModelRow[], fact: ModelFacts) => {
          facts.push(fact);
          for (const row of group) rows.set(row.id, row);
        },
      })),
    };
  });
  const outcomes = await scoreModels(jobs, { device: 'cpu', cores: 2 }, {});
  return new Map(told.map(({ file, rows, facts }, n) => [file, { outcome: outcomes[n], rows, facts: facts.at(-1) }]));
}

const bitsOf = (row: ModelRow | undefined) =>
  row?.status === 'ok' ? [...Array.from(row.logits), row.logZ, row.optionMass] : (row ?? 'no row');

/** Every file with all rows, and with two other companies of some of them. */
let whole: Map<string, Scored>;
let others: Map<string, Scored>[];
beforeAll(async () => {
  whole = await score(files, jobs);
  others = [
    await score(
      files,
      jobs.map((prompts) => prompts.slice(10)),
    ),
    await score(files, [jobs[2] ?? [], [...(jobs[0] ?? [])].reverse().slice(4)]),
  ];
});

describe.each(files.map((file) => ({ file, name: path.basename(file) })))('a file of $name', ({ file, name }) => {
  it('gives a row the same bits whatever else is in the run', () => {
    const all = whole.get(file);
    expect(all?.outcome).toMatchObject({ kind: 'done' });
    expect(all?.rows.size).toBe(33);
    expect(all?.facts?.selfCheck).toMatchObject({ maxDifference: 0, tolerance: 0, flips: 0 });
    expect(all?.facts?.sequences).toBe(/^(Q4_1|tern|dunlin)/.test(name) ? 16 : 1);
    for (const [n, run] of others.entries()) {
      const { rows } = run.get(file) ?? { rows: new Map<string, ModelRow>() };
      expect(rows.size).toBe(n === 0 ? 3 : 18);
      for (const [id, row] of rows) expect([id, bitsOf(row)]).toEqual([id, bitsOf(all?.rows.get(id))]);
    }
  });
});

describe('a file whose kernels depend on the batch, where models.yaml asks for batches', () => {
  it('is found out, although the first prompt of a batch lies where it lies alone', async () => {
    const file = path.join(fixtures, 'Q4_K.gguf');
    const { facts } = (await score([file], [numbers.map((n) => ({ ...letter(1), id: `${n}` }))], 8)).get(file) ?? {};
    expect(facts?.sequences).toBe(8);
    expect(facts?.selfCheck?.compared).toBeGreaterThanOrEqual(4);
    expect(facts?.selfCheck?.maxDifference).toBeGreaterThan(0);
  });
});
