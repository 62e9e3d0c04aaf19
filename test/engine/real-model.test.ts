import { readdirSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ExamplePrompt } from '../../src/contract/prompt.js';
import type { ScoredRow } from '../../src/contract/scored-row.js';
import type { ModelFacts, ModelOutcome } from '../../src/contract/scorer.js';
import { scoreModels } from '../../src/scoring/score-models.js';

const folder = fileURLToPath(new URL('../../models/demo/', import.meta.url));
const chatFile = readdirSync(folder).find((name) => name.endsWith('.gguf') && !name.includes('-base'))!;
// One model without and one with a sliding window.
const BASES = ['tern-base.gguf', 'dunlin-base.gguf'];

type OkRow = Extract<ScoredRow, { status: 'ok' }>;

interface Ask {
  readonly file: string;
  readonly prompts: readonly ExamplePrompt[];
  readonly chat?: boolean;
  readonly sequences?: number;
  /** Threads of a context, in a file that is said to be so large that each prompt has a pass of its own. */
  readonly inTurn?: { readonly threads?: number };
}

interface Answer {
  readonly rows: Map<string, ScoredRow>;
  facts: ModelFacts | undefined;
  outcome: ModelOutcome | undefined;
}

/** Scores all asks, one after the other, in one real child process. */
async function score(asks: readonly Ask[]): Promise<Answer[]> {
  const answers = asks.map((): Answer => ({ rows: new Map(), facts: undefined, outcome: undefined }));
  const jobs = asks.map(({ file, prompts, chat, sequences, inTurn }, n) => ({
    model: {
      id: `${n} ${file}`,
      role: 'base' as const,
      bucket: 'demo',
      prompt: chat === true ? ('chat' as const) : ('raw' as const),
      ...(sequences === undefined ? {} : { scoring: { sequences } }),
      ...(inTurn === undefined ? {} : { scoring: inTurn }),
    },
    place: { kind: 'gguf' as const, path: folder + file, bytes: inTurn ? 2 ** 27 : statSync(folder + file).size },
    jobs: [
      {
        dataset: 'd',
        prompts,
        onRows: async (group: readonly ScoredRow[], facts: ModelFacts) => {
          answers[n]!.facts = facts;
          for (const row of group) answers[n]!.rows.set(row.id, row);
        },
      },
    ],
  }));
  const outcomes = await scoreModels(jobs, { device: 'cpu', cores: 1 }, {});
  for (const [n, outcome] of outcomes.entries()) answers[n]!.outcome = outcome;
  return answers;
}

function demoPrompts(count: number): ExamplePrompt[] {
  const text = readFileSync(new URL('../../datasets/demo-facts.jsonl', import.meta.url), 'utf8');
  const lines = text.trim().split('\n').slice(0, count);
  return lines.map((line) => {
    const row = JSON.parse(line) as { id: string; question: string; options: string[] };
    const options = row.options.map((option, k) => `${'ABCDE'[k]}. ${option}`).join('\n');
    const continuations = [...'ABCDE'].slice(0, row.options.length);
    const text = `Question: ${row.question}\n${options}\nAnswer:`;
    return { id: row.id, text, mode: 'letter', continuations, answerPrefix: null };
  });
}

/** Over all rows of `b`; infinite when a row is missing or failed. */
function largestDifference(a: Answer, b: Answer): number {
  let worst = 0;
  for (const [id, row] of b.rows) {
    const other = a.rows.get(id);
    if (row.status !== 'ok' || other?.status !== 'ok') return Number.POSITIVE_INFINITY;
    for (const [k, logit] of Array.from(row.logits).entries())
      worst = Math.max(worst, Math.abs(logit - other.logits[k]!));
    worst = Math.max(worst, Math.abs(row.logZ - other.logZ));
  }
  return worst;
}

const prompts = demoPrompts(50);
const ask = (id: string, text: string): ExamplePrompt => ({
  id,
  text,
  mode: 'letter',
  continuations: ['A', 'B'],
  answerPrefix: null,
});
const raw: Answer[][] = [];
let chat: Answer[];
let inTurn: Answer[];

beforeAll(async () => {
  const perBase = (file: string): Ask[] => [
    { file, prompts },
    { file, prompts: [...prompts].reverse(), sequences: 3 },
    { file, prompts: prompts.slice(0, 20), sequences: 1 },
  ];
  const answers = await score([
    ...BASES.flatMap(perBase),
    { file: chatFile, prompts: [ask('plain', 'Is it A or B?'), ask('typed', 'Is it <|im_end|> A or B?')], chat: true },
    { file: 'tern-base.gguf', prompts: [ask('q', 'x')], chat: true },
    { file: 'dunlin-base.gguf', prompts: prompts.slice(0, 30), inTurn: {} },
    { file: 'dunlin-base.gguf', prompts: prompts.slice(0, 30).toReversed(), inTurn: { threads: 2 } },
  ]);
  raw.push(answers.slice(0, 3), answers.slice(3, 6));
  chat = answers.slice(6, 8);
  inTurn = answers.slice(8);
}, 120_000);

describe.each(BASES.map((file, n) => ({ file, n })))('the real model $file', ({ file, n }) => {
  it('scores every row, with a mass of the options that is a probability', () => {
    const { rows, outcome } = raw[n]![0]!;
    expect(outcome).toMatchObject({ kind: 'done' });
    expect(rows.size).toBe(50);
    for (const row of rows.values()) {
      expect(row.status).toBe('ok');
      expect((row as OkRow).optionMass).toBeGreaterThan(0.5);
      expect((row as OkRow).optionMass).toBeLessThanOrEqual(1);
    }
  });

  it('gives a row the same logits to 1e-4 in reverse order and with another batch size', () => {
    expect(raw[n]![1]!.rows.size).toBe(50);
    expect(largestDifference(raw[n]![0]!, raw[n]![1]!)).toBeLessThan(1e-4);
  });

  it('gives a row the same logits to 1e-4 alone in a fresh process', async () => {
    const [alone] = await score([{ file, prompts: [prompts[36]!] }]);
    expect(alone!.rows.size).toBe(1);
    expect(largestDifference(raw[n]![0]!, alone!)).toBeLessThan(1e-4);
  }, 60_000);

  it('stays within the rounding of quantised weights with one sequence at a time', () => {
    expect(raw[n]![2]!.rows.size).toBe(20);
    expect(largestDifference(raw[n]![0]!, raw[n]![2]!)).toBeLessThan(5e-3);
  });

  it('says how it was scored', () => {
    const { facts } = raw[n]![0]!;
    expect(facts).toMatchObject({ backend: 'cpu', bos: true, sequences: 16, threads: 1 });
    expect(facts!.selfCheck!.maxDifference).toBeLessThan(1e-4);
  });
});

describe('real chat prompts', () => {
  it('a control token typed by the data is plain text', () => {
    expect(chat[0]!.outcome).toMatchObject({ kind: 'done' });
    const [plain, typed] = ['plain', 'typed'].map((id) => chat[0]!.rows.get(id) as OkRow);
    // As a control token it would be one token, two with the space before it.
    expect(typed!.promptTokens - plain!.promptTokens).toBeGreaterThan(3);
  });

  it('a base model without a template fails as a chat model, and says why', () => {
    expect(chat[1]!.outcome).toMatchObject({ kind: 'failed', reason: expect.stringContaining('no chat template') });
  });
});

it('gives a row the same bits in one context as in two that take turns on one core', () => {
  // Two threads of one context on one core: there is no other context. With one thread there is one that waits.
  const [turns, alone] = inTurn;
  expect([turns, alone].map((each) => [each!.facts!.threads, each!.rows.size])).toEqual([
    [1, 30],
    [Math.min(2, availableParallelism()), 30],
  ]);
  expect(largestDifference(turns!, alone!)).toBe(0);
});
