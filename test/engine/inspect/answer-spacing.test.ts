import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ExamplePrompt } from '../../../src/contract/prompt.js';
import type { ScoredRow } from '../../../src/contract/scored-row.js';
import { scoreModels } from '../../../src/scoring/score-models.js';

type OkRow = Extract<ScoredRow, { status: 'ok' }>;

const folder = fileURLToPath(new URL('../../../models/demo/', import.meta.url));
const FILES = ['tern-dpo.gguf', 'plover-pg.gguf', 'heron-rl.gguf', 'dunlin-rl.gguf'];

const QUESTION = 'Question: Anna has 3 pears and buys 4 more. How many pears has she?\nA. 7\nB. 8\nC. 5\nD. 6';

/** A template that ends in a line break wants no space before the answer, a word and a colon want one. */
const BEGINNINGS = { 'line break': 'chat', colon: 'raw' } as const;
type Beginning = keyof typeof BEGINNINGS;

/** null: by the rule of the place. */
const SPACES = { rule: null, none: '', space: ' ' } as const;

function promptsOf(beginning: Beginning): ExamplePrompt[] {
  const end = beginning === 'colon' ? '\nAnswer:' : '';
  const letters = `${QUESTION}${end}`;
  return Object.entries(SPACES).flatMap(([name, answerPrefix]): ExamplePrompt[] => [
    { id: `letter ${name}`, text: letters, mode: 'letter', continuations: ['A', 'B', 'C', 'D'], answerPrefix },
    { id: `text ${name}`, text: `Hi${end}`, mode: 'text', continuations: ['Hello', 'zq^*'], answerPrefix },
  ]);
}

const found = new Map<string, OkRow>();

beforeAll(async () => {
  const jobs = FILES.flatMap((file) =>
    (Object.keys(BEGINNINGS) as Beginning[]).map((beginning) => ({
      model: {
        id: `${file} ${beginning}`,
        role: 'base' as const,
        bucket: 'demo',
        prompt: BEGINNINGS[beginning],
      },
      place: { kind: 'gguf' as const, path: folder + file, bytes: statSync(folder + file).size },
      jobs: [
        {
          dataset: 'd',
          prompts: promptsOf(beginning),
          onRows: async (rows: readonly ScoredRow[]) => {
            for (const row of rows) if (row.status === 'ok') found.set(`${file} ${beginning} ${row.id}`, row);
          },
        },
      ],
    })),
  );
  await scoreModels(jobs, { device: 'cpu', cores: 1 }, {});
}, 60_000);

const cases = FILES.flatMap((file) =>
  (Object.keys(BEGINNINGS) as Beginning[]).map((beginning) => ({ file, beginning })),
);

describe.each(cases)('$file, where an answer begins after a $beginning', ({ file, beginning }) => {
  const row = (mode: 'letter' | 'text', space: keyof typeof SPACES): OkRow =>
    found.get(`${file} ${beginning} ${mode} ${space}`)!;
  const [right, wrong] = beginning === 'colon' ? (['space', 'none'] as const) : (['none', 'space'] as const);

  it('a greeting has the answer "Hello" rather than "zq^*"', () => {
    const [hello, noise] = Array.from(row('text', 'rule').logits);
    expect(hello! - noise!).toBeGreaterThan(10);
  });

  it('the rule spells labels as the model answers: they have nearly all of its mass, in the other spelling none', () => {
    expect(row('letter', 'rule').logits).toEqual(row('letter', right).logits);
    expect(row('text', 'rule').logits).toEqual(row('text', right).logits);
    expect(row('letter', 'rule').optionMass).toBeGreaterThan(0.9);
    expect(row('letter', wrong).optionMass).toBeLessThan(0.001);
  });
});
