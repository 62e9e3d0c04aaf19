import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ExamplePrompt } from '../../src/datasets/prompt.js';
import type { ModelFacts, ModelOutcome } from '../../src/scoring/contract.js';
import { scoreModels } from '../../src/scoring/score-models.js';
import type { ScoredRow } from '../../src/scoring/scored-row.js';

const folder = fileURLToPath(new URL('../../models/demo/', import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith('.gguf'));

type OkRow = Extract<ScoredRow, { status: 'ok' }>;

/** One demo model through the real child process. */
async function score(
  file: string,
  prompts: readonly ExamplePrompt[],
  options: { chat?: boolean; sequences?: number } = {},
) {
  const path = folder + file;
  const rows = new Map<string, ScoredRow>();
  let facts: ModelFacts | undefined;
  const onRows = async (group: readonly ScoredRow[], current: ModelFacts) => {
    facts = current;
    for (const row of group) rows.set(row.id, row);
  };
  const prompt = options.chat === true ? ('chat' as const) : ('raw' as const);
  const scoring = options.sequences === undefined ? {} : { scoring: { sequences: options.sequences } };
  const job = {
    model: { id: file, role: 'base' as const, bucket: 'demo', prompt, ...scoring },
    modelPath: path,
    modelBytes: statSync(path).size,
    jobs: [{ dataset: 'd', prompts, onRows }],
  };
  const [outcome] = await scoreModels([job], { backend: 'cpu', cores: 1 }, {});
  return { rows, facts, outcome: outcome as ModelOutcome };
}

function demoPrompts(count: number): ExamplePrompt[] {
  const file = new URL('../../datasets/demo-facts.jsonl', import.meta.url);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').slice(0, count) : [];
  return lines.map((line) => {
    const row = JSON.parse(line) as { id: string; question: string; options: string[] };
    const options = row.options.map((option, k) => `${'ABCDE'[k]}. ${option}`).join('\n');
    const optionLabels = [...'ABCDE'].slice(0, row.options.length);
    return { id: row.id, text: `Question: ${row.question}\n${options}\nAnswer:`, optionLabels, answerPrefix: null };
  });
}

function largestDifference(a: ReadonlyMap<string, ScoredRow>, b: ReadonlyMap<string, ScoredRow>): number {
  let worst = 0;
  for (const [id, row] of b) {
    const other = a.get(id);
    if (row.status !== 'ok' || other?.status !== 'ok') return Number.POSITIVE_INFINITY;
    for (const [k, logit] of Array.from(row.logits).entries())
      worst = Math.max(worst, Math.abs(logit - other.logits[k]!));
    worst = Math.max(worst, Math.abs(row.logZ - other.logZ));
  }
  return worst;
}

// One sliding-window model and one without; the files come with the repository.
describe.each(['tern-base.gguf', 'dunlin-base.gguf'])('the real model %s', (file) => {
  const prompts = demoPrompts(50);
  let together: Awaited<ReturnType<typeof score>>;
  beforeAll(async () => {
    together = await score(file, prompts);
  }, 60_000);

  it('scores every row with a mass of the options that is a probability', () => {
    expect(prompts).toHaveLength(50);
    expect(together.outcome).toMatchObject({ kind: 'done' });
    expect(together.rows.size).toBe(50);
    for (const row of together.rows.values()) {
      expect(row.status).toBe('ok');
      expect((row as OkRow).optionMass).toBeGreaterThan(0.5);
      expect((row as OkRow).optionMass).toBeLessThanOrEqual(1);
    }
  });

  it('same row, same logits to 1e-4 in reverse order, with other batch sizes and alone in a fresh process', async () => {
    const reversed = await score(file, [...prompts].reverse(), { sequences: 3 });
    expect(largestDifference(together.rows, reversed.rows)).toBeLessThan(1e-4);
    const alone = await score(file, [prompts[36]!]);
    expect(alone.rows.size).toBe(1);
    expect(largestDifference(together.rows, alone.rows)).toBeLessThan(1e-4);
  }, 60_000);

  it('one sequence at a time stays within the rounding of quantised weights', async () => {
    const single = await score(file, prompts.slice(0, 20), { sequences: 1 });
    expect(largestDifference(together.rows, single.rows)).toBeLessThan(5e-3);
  }, 60_000);

  it('says how it was scored', () => {
    expect(together.facts).toMatchObject({ backend: 'cpu', bos: true, sequences: 16, threads: 1 });
    expect(together.facts!.selfCheck!.maxDifference).toBeLessThan(1e-4);
  });
});

describe('a real chat model', () => {
  const file = files.find((name) => !name.includes('-base')) ?? 'missing.gguf';
  const ask = (id: string, text: string) => ({ id, text, optionLabels: ['A', 'B'], answerPrefix: null });

  it('takes a control token typed by the data as plain text: more tokens, and another score than a real end of turn', async () => {
    const { rows, outcome } = await score(
      file,
      [ask('plain', 'Is it A or B?'), ask('typed', 'Is it <|im_end|> A or B?')],
      { chat: true },
    );
    expect(outcome).toMatchObject({ kind: 'done' });
    const [plain, typed] = [rows.get('plain') as OkRow, rows.get('typed') as OkRow];
    // As a control token it would be one token, with the space before it two at most.
    expect(typed.promptTokens - plain.promptTokens).toBeGreaterThan(3);
  }, 60_000);

  it('refuses an option of several tokens by name', async () => {
    const { rows } = await score(file, [{ ...ask('q', 'Is it so?'), optionLabels: ['A', 'zq^*'] }]);
    expect(rows.get('q')).toMatchObject({ status: 'failed', reason: expect.stringContaining('"zq^*"') });
  }, 60_000);

  it('a base model without a template fails as a chat model, and says why', async () => {
    const { outcome } = await score('tern-base.gguf', [ask('q', 'x')], { chat: true });
    expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringContaining('no chat template') });
  }, 60_000);
});
