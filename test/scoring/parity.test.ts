import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadDatasetSpecs } from '../../src/config/load-dataset-specs.js';
import type { ExamplePrompt } from '../../src/contract/prompt.js';
import type { ScoredRow } from '../../src/contract/scored-row.js';
import type { ModelJob } from '../../src/contract/scorer.js';
import { loadDataset } from '../../src/datasets/load-dataset.js';
import { renderPrompts } from '../../src/datasets/prompts/render-prompts.js';
import { scoreModels } from '../../src/scoring/score-models.js';

/** Option logits of the PyTorch checkpoints in float32; models/demo/training/make_parity.py writes the file. */
interface Parity {
  readonly sets: Record<string, { ids: string[]; tokens: number[][]; options: number[][] }>;
  readonly logits: Record<string, Record<string, number[][]>>;
}

const root = path.resolve(import.meta.dirname, '../..');
const parity: Parity = JSON.parse(readFileSync(path.join(root, 'test/fixtures/demo-parity.json'), 'utf8'));
const models = Object.keys(parity.logits);

/** Scored rows by `<model> <raw|chat> <task>`. */
const scored = new Map<string, Map<string, ScoredRow>>();

beforeAll(async () => {
  const prompts = new Map<string, ExamplePrompt[]>();
  for (const task of ['facts', 'arithmetic', 'sentiment']) {
    const [spec] = await loadDatasetSpecs(path.join(root, 'datasets'), [`demo-${task}`]);
    prompts.set(task, renderPrompts(await loadDataset(spec!), spec!));
  }
  const jobs = models.flatMap((model) =>
    (['raw', 'chat'] as const).flatMap((format) => {
      const sets = Object.keys(parity.logits[model]!).filter((set) => set.startsWith(format));
      return sets.length === 0 ? [] : [modelJob(model, format, sets, prompts)];
    }),
  );
  const outcomes = await scoreModels(jobs, { device: 'cpu', cores: 2 }, {});
  expect(outcomes.filter((outcome) => outcome.kind === 'failed')).toEqual([]);
});

function modelJob(
  model: string,
  format: 'raw' | 'chat',
  sets: string[],
  prompts: Map<string, ExamplePrompt[]>,
): ModelJob {
  const modelPath = path.join(root, 'models/demo', `${model}.gguf`);
  return {
    model: { id: `${model} ${format}`, role: 'base', bucket: 'demo', prompt: format },
    place: { kind: 'gguf', path: modelPath, bytes: statSync(modelPath).size },
    jobs: sets.map((set) => {
      const rows = new Map<string, ScoredRow>();
      scored.set(`${model} ${set}`, rows);
      const ids = new Set(parity.sets[set]!.ids);
      return {
        dataset: set,
        prompts: prompts.get(set.split(' ')[1]!)!.filter((prompt) => ids.has(prompt.id)),
        onRows: async (batch) => {
          for (const row of batch) rows.set(row.id, row);
        },
      };
    }),
  };
}

function centred(logits: ArrayLike<number>): number[] {
  const values = Array.from(logits);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value - mean);
}

const argmax = (values: readonly number[]) => values.indexOf(Math.max(...values));

describe.each(models)('%s scores as its PyTorch checkpoint', (model) => {
  const pairs = () =>
    Object.entries(parity.logits[model]!).flatMap(([set, expected]) =>
      parity.sets[set]!.ids.map((id, n) => {
        const row = scored.get(`${model} ${set}`)!.get(id)!;
        if (row.status === 'failed') throw new Error(`${set} ${id}: ${row.reason}`);
        return {
          tokens: row.promptTokens,
          wanted: parity.sets[set]!.tokens[n]!.length,
          logits: centred(row.logits),
          expected: centred(expected[n]!),
        };
      }),
    );

  it('evaluates prompts of as many tokens, start token included', () => {
    expect(pairs().map((pair) => pair.tokens)).toEqual(pairs().map((pair) => pair.wanted));
  });

  it('gives option logits within 0.1 after centring (f16 files)', () => {
    const worst = Math.max(
      ...pairs().flatMap(({ logits, expected }) => logits.map((logit, k) => Math.abs(logit - expected[k]!))),
    );
    expect(worst).toBeLessThan(0.1);
  });

  it('prefers the same option on at least 99 % of the examples', () => {
    const same = pairs().filter(({ logits, expected }) => argmax(logits) === argmax(expected)).length;
    expect(pairs().length).toBeGreaterThanOrEqual(60);
    expect(same / pairs().length).toBeGreaterThanOrEqual(0.99);
  });
});
