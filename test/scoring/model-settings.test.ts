import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelSpec } from '../../src/config/models-schema.js';
import type { ExamplePrompt } from '../../src/contract/prompt.js';
import type { ModelJob, ModelOutcome } from '../../src/contract/scorer.js';
import { scoreModels } from '../../src/scoring/score-models.js';
import { splitGguf } from '../models/gguf/split-gguf.js';

const tern = path.resolve(import.meta.dirname, '../../models/demo/tern-base.gguf');
const adapter = path.resolve(import.meta.dirname, '../fixtures/lora/tern-q.gguf');
const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

const prompts = ['Anna has 3 pears and buys 4 more.', 'Is the sky blue?', 'Name a bird.'].map(
  (question, n): ExamplePrompt => ({
    id: `r${n}`,
    text: `Question: ${question}\nA. 7\nB. 8\nAnswer:`,
    mode: 'letter',
    continuations: ['A', 'B'],
    answerPrefix: null,
  }),
);

type Ask = Partial<Pick<ModelJob['place'], 'path' | 'lora'>> & { readonly scoring?: ModelSpec['scoring'] };

/** Logits of every row, per ask; one real child process for all of them. */
async function logitsOf(asks: Record<string, Ask>) {
  const logits = new Map<string, number[][]>();
  const jobs = Object.entries(asks).map(([id, { scoring, ...ask }]): ModelJob => {
    const rows: number[][] = [];
    logits.set(id, rows);
    return {
      model: { id, role: 'base', bucket: 'demo', prompt: 'raw', ...(scoring && { scoring }) },
      place: { kind: 'gguf', path: tern, bytes: 2_354_720, ...ask },
      jobs: [
        {
          dataset: 'd',
          prompts,
          onRows: async (group) => {
            for (const row of group)
              if (row.status === 'ok') rows[prompts.findIndex((each) => each.id === row.id)] = Array.from(row.logits);
          },
        },
      ],
    };
  });
  const outcomes = await scoreModels(jobs, { device: 'cpu', cores: 1 }, {});
  return { logits, outcomes };
}

describe('settings of a real model', () => {
  let logits: Map<string, number[][]>;
  let outcomes: ModelOutcome[];
  const furthest = (a: string, b: string) =>
    Math.max(
      ...prompts.flatMap((_, n) => logits.get(a)![n]!.map((logit, k) => Math.abs(logit - logits.get(b)![n]![k]!))),
    );

  beforeAll(async () => {
    ({ logits, outcomes } = await logitsOf({
      plain: {},
      adapted: { lora: [{ path: adapter, scale: 1 }] },
      half: { lora: [{ path: adapter, scale: 0.5 }] },
      switchedOff: { lora: [{ path: adapter, scale: 0 }] },
      split: { path: splitGguf(tern, 3, folder) },
      f32: { scoring: { kvType: 'f32', gpuLayers: 2 } },
      q8: { scoring: { kvType: 'q8_0' } },
      flash: { scoring: { flashAttention: 'on' } },
      left: { scoring: { flashAttention: 'auto' } },
      after: {},
    }));
  });

  it('lets every model be scored', () => {
    expect(outcomes.map(({ kind }) => kind)).toEqual(outcomes.map(() => 'done'));
    for (const rows of logits.values()) expect(rows).toHaveLength(prompts.length);
  });

  it('an adapter changes the logits, by its scale; with scale 0 they are those of the model alone', () => {
    expect(furthest('adapted', 'plain')).toBeGreaterThan(0.1);
    expect(furthest('half', 'plain')).toBeGreaterThan(0.01);
    expect(furthest('half', 'adapted')).toBeGreaterThan(0.01);
    expect(furthest('switchedOff', 'plain')).toBeLessThan(1e-4);
  });

  it('an adapter does not stay for the next model of the same process', () => {
    expect(logits.get('after')).toEqual(logits.get('plain'));
  });

  it('a split model gives the logits of the whole one', () => {
    expect(logits.get('split')).toEqual(logits.get('plain'));
  });

  it('the number type of the KV cache reaches llama.cpp: logits move with its precision', () => {
    expect(furthest('f32', 'plain')).toBeGreaterThan(0);
    expect(furthest('f32', 'plain')).toBeLessThan(0.05);
    expect(furthest('q8', 'plain')).toBeGreaterThan(0);
    expect(furthest('q8', 'plain')).toBeLessThan(0.5);
  });

  it('flash attention reaches llama.cpp, and what `auto` came to is recorded', () => {
    expect(furthest('flash', 'plain')).toBeGreaterThan(0);
    expect(furthest('flash', 'plain')).toBeLessThan(0.05);
    expect(logits.get('left')).toEqual(logits.get('flash'));
    const had = outcomes.map((each) => [each.model, each.kind === 'done' ? each.facts.flashAttention : null]);
    expect(Object.fromEntries(had)).toMatchObject({ plain: 'off', f32: 'off', q8: 'on', flash: 'on', left: 'on' });
  });
});
