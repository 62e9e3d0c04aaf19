import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ExamplePrompt } from '../../../src/contract/prompt.js';
import type { ScoredRow } from '../../../src/contract/scored-row.js';
import type { ScoringJob } from '../../../src/contract/scorer.js';
import { sharedBeginning } from '../../../src/contract/shared-beginning.js';
import { scoreModels } from '../../../src/scoring/score-models.js';

const folder = fileURLToPath(new URL('../../../models/demo/', import.meta.url));
// llama, qwen3, and gemma3 with a sliding window of 64 tokens, which the shared beginning exceeds.
const FILES = ['tern-base.gguf', 'heron-base.gguf', 'dunlin-base.gguf'];
const SHARED = Array.from(
  { length: 12 },
  (_, n) => `Question: Is the number ${n} even?\nA. yes\nB. no\nAnswer: B\n\n`,
).join('');
const prompts: ExamplePrompt[] = Array.from({ length: 14 }, (_, n) => ({
  id: `q${n}`,
  text: `${SHARED}${'Red and blue and green. '.repeat(n % 5)}Is ${n} more than seven?\nA. yes\nB. no\nAnswer:`,
  mode: 'letter',
  continuations: ['A', 'B'],
  answerPrefix: null,
}));

type Ask = Pick<ScoringJob, 'prompts' | 'sharing'> & { readonly scoring?: { sequences: number; batchSize?: number } };

const ASKS: Record<'kept' | 'whole' | 'reversed' | 'windowed' | 'resumed' | 'single', Ask> = {
  kept: { prompts },
  whole: { prompts, sharing: null },
  reversed: { prompts: [...prompts].reverse(), scoring: { sequences: 3 } },
  // So small a batch that a cache of window and batch would drop the first tokens.
  windowed: { prompts, scoring: { sequences: 2, batchSize: 128 } },
  resumed: { prompts: prompts.slice(9), sharing: sharedBeginning(prompts) },
  single: { prompts: prompts.slice(7, 8), sharing: sharedBeginning(prompts) },
};

type Scores = Map<string, readonly number[]>;
const found = new Map<string, Scores>();
const logs: string[] = [];

beforeAll(async () => {
  const jobs = FILES.flatMap((file) =>
    Object.entries(ASKS).map(([name, { scoring, ...ask }]) => ({
      model: {
        id: `${file} ${name}`,
        role: 'base' as const,
        bucket: 'demo',
        prompt: 'raw' as const,
        ...(scoring === undefined ? {} : { scoring }),
      },
      place: { kind: 'gguf' as const, path: folder + file, bytes: statSync(folder + file).size },
      jobs: [
        {
          dataset: 'd',
          ...ask,
          onRows: async (rows: readonly ScoredRow[]) => {
            const scores: Scores = found.get(`${file} ${name}`) ?? new Map();
            found.set(`${file} ${name}`, scores);
            for (const row of rows) if (row.status === 'ok') scores.set(row.id, [...Array.from(row.logits), row.logZ]);
          },
        },
      ],
    })),
  );
  await scoreModels(jobs, { device: 'cpu', cores: 1 }, { onLog: (_, line) => logs.push(line) });
}, 120_000);

describe.each(FILES)('tokens that the prompts of %s share', (file) => {
  const difference = (one: keyof typeof ASKS, other: keyof typeof ASKS): number => {
    const [a, b] = [found.get(`${file} ${one}`)!, found.get(`${file} ${other}`)!];
    const ids = [...b.keys()].filter((id) => a.has(id));
    expect(ids).toHaveLength(Math.min(ASKS[one].prompts.length, ASKS[other].prompts.length));
    return Math.max(...ids.flatMap((id) => b.get(id)!.map((value, k) => Math.abs(value - a.get(id)![k]!))));
  };

  it('may be kept: the logits are those of whole prompts to 1e-4', () => {
    expect(difference('kept', 'whole')).toBeLessThan(1e-4);
  });

  it('give the same logits to 1e-4 in reverse order with fewer sequences', () => {
    expect(difference('kept', 'reversed')).toBeLessThan(1e-4);
  });

  it('give the same logits to 1e-4 where a sliding window would drop the first of them', () => {
    expect(difference('whole', 'windowed')).toBeLessThan(1e-4);
  });

  it('give the same bits to the rows of a resumed run, and to one row alone', () => {
    expect(difference('kept', 'resumed')).toBe(0);
    expect(difference('kept', 'single')).toBe(0);
  });

  it('are kept by a rule that does not depend on the rows that are left', () => {
    const tokens = (name: keyof typeof ASKS) => {
      const line = logs.find((each) => each.startsWith(`${file} ${name}: data set 1`));
      return line === undefined ? 0 : Number(/first (\d+) tokens/.exec(line)![1]);
    };
    expect(tokens('whole')).toBe(0);
    expect(tokens('kept')).toBeGreaterThan(200);
    for (const name of ['reversed', 'resumed', 'single'] as const) expect(tokens(name)).toBe(tokens('kept'));
  });
});
