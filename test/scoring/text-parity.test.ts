import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ExamplePrompt, TextScore } from '../../src/contract/prompt.js';
import type { ScoredRow } from '../../src/contract/scored-row.js';
import type { ModelJob } from '../../src/contract/scorer.js';
import { scoreModels } from '../../src/scoring/score-models.js';

/** Token log-probabilities of the PyTorch checkpoints in float32; generate.py beside the file writes it. */
interface Fixture {
  readonly sets: Record<string, { id: string; prompt: string; options: string[]; tokens: number }[]>;
  /** By `<model> <set>`: question, option, token. */
  readonly logProbs: Record<string, number[][][]>;
}

type OkRow = Extract<ScoredRow, { status: 'ok' }>;

const root = path.resolve(import.meta.dirname, '../..');
const fixture: Fixture = JSON.parse(readFileSync(path.join(root, 'test/fixtures/text-mode/log-probs.json'), 'utf8'));
// llama, qwen2, gemma3 with a window of 64 tokens (the prompts are longer), and a post-trained qwen3.
const MODELS = ['tern-base', 'plover-base', 'dunlin-base', 'heron-rl'];
const SETS = ['text', 'hybrid'];
const CHAT_MODEL = 'heron-rl';
/** Files hold f16 weights, the checkpoints are computed in float32. */
const PER_OPTION = 0.05;

/** Rows by `<model> <job>`. */
const scored = new Map<string, Map<string, ScoredRow>>();

beforeAll(async () => {
  const jobs = MODELS.map((model) => modelJob(model, model, {}));
  jobs.push(chatJob());
  // dunlin once more: in reverse order with three sequences, and one row alone.
  jobs.push(modelJob('reversed', 'dunlin-base', { sequences: 3 }, (prompts) => [...prompts].reverse()));
  jobs.push(modelJob('alone', 'dunlin-base', {}, (prompts) => prompts.slice(4, 5)));
  const outcomes = await scoreModels(jobs, { device: 'cpu', cores: 1 }, {});
  expect(outcomes.filter((outcome) => outcome.kind === 'failed')).toEqual([]);
});

type Choose = (prompts: ExamplePrompt[]) => ExamplePrompt[];

function modelJob(
  name: string,
  file: string,
  scoring: { sequences?: number },
  choose: Choose = (all) => all,
): ModelJob {
  const modelPath = path.join(root, 'models/demo', `${file}.gguf`);
  const job = (title: string, set: string, textScore: TextScore) => {
    const rows = new Map<string, ScoredRow>();
    scored.set(`${name} ${title}`, rows);
    return {
      dataset: title,
      prompts: choose(promptsOf(set, textScore)),
      onRows: async (batch: readonly ScoredRow[]) => {
        for (const row of batch) rows.set(row.id, row);
      },
    };
  };
  return {
    model: { id: name, role: 'base', bucket: 'demo', prompt: 'raw', scoring },
    place: { kind: 'gguf', path: modelPath, bytes: statSync(modelPath).size },
    jobs: [
      ...SETS.map((set) => job(set, set, { normalize: 'sum' })),
      job('mean-token', 'text', { normalize: 'mean-token' }),
      job('per-char', 'text', { normalize: 'per-char' }),
      job('pmi', 'text', { normalize: 'pmi', pmiPrompt: 'Answer:' }),
    ],
  };
}

/** Prompts of `modelJob` as messages in the model's own template, where an option begins the reply. */
function chatJob(): ModelJob {
  const { model, jobs, ...file } = modelJob('chat', CHAT_MODEL, {});
  scored.set(`${CHAT_MODEL} chat`, scored.get('chat text')!);
  return { ...file, model: { ...model, prompt: 'chat' }, jobs: jobs.slice(0, 1) };
}

function promptsOf(set: string, textScore: TextScore): ExamplePrompt[] {
  return fixture.sets[set]!.map(({ id, prompt, options }) => ({
    id,
    text: prompt,
    mode: 'text',
    continuations: options,
    textScore,
    answerPrefix: null,
  }));
}

function rowOf(key: string, id: string): OkRow {
  const row = scored.get(key)!.get(id);
  if (row?.status !== 'ok') throw new Error(`${key} ${id}: ${row?.reason ?? 'missing'}`);
  return row;
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

describe('the models of this check', () => {
  it('are of every architecture that the demo has', () => {
    const folder = path.join(root, 'models/demo');
    const architectureOf = (file: string) => {
      const bytes = readFileSync(path.join(folder, file));
      // Key, type (4 bytes), length (8 bytes), text.
      const at = bytes.indexOf('general.architecture') + 'general.architecture'.length + 4;
      return bytes.toString('utf8', at + 8, at + 8 + bytes.readUInt32LE(at));
    };
    const shipped = readdirSync(folder).filter((name) => name.endsWith('.gguf'));
    expect(new Set(MODELS.map((model) => architectureOf(`${model}.gguf`)))).toEqual(
      new Set(shipped.map(architectureOf)),
    );
  });
});

describe.each(MODELS)('%s scores texts as its PyTorch checkpoint', (model) => {
  const sets = model === CHAT_MODEL ? [...SETS, 'chat'] : SETS;

  it.each(sets)('sums within 0.05 per option in %s mode, after prompts of as many tokens', (set) => {
    const expected = fixture.logProbs[`${model} ${set}`]!;
    let worst = 0;
    for (const [n, { id, tokens }] of fixture.sets[set]!.entries()) {
      const row = rowOf(`${model} ${set}`, id);
      expect(row.promptTokens).toBe(tokens);
      expect(row.logZ).toBe(0);
      expect(row.logits).toHaveLength(4);
      for (const [k, logProbs] of expected[n]!.entries())
        worst = Math.max(worst, Math.abs(row.logits[k]! - sumOf(logProbs)));
    }
    expect(worst).toBeLessThan(PER_OPTION);
  });

  it('divides the same sums by tokens and by characters', () => {
    for (const [n, { id, options }] of fixture.sets.text!.entries()) {
      const sums = rowOf(`${model} text`, id).logits;
      const means = rowOf(`${model} mean-token`, id).logits;
      const perChar = rowOf(`${model} per-char`, id).logits;
      for (const [k, logProbs] of fixture.logProbs[`${model} text`]![n]!.entries()) {
        expect(means[k]).toBeCloseTo(sums[k]! / logProbs.length, 4);
        expect(perChar[k]).toBeCloseTo(sums[k]! / options[k]!.length, 4);
      }
    }
  });

  it('pmi takes away one number per option text, whatever the question', () => {
    const worth = new Map<string, number>();
    let again = 0;
    for (const { id, options } of fixture.sets.text!) {
      for (const [k, option] of options.entries()) {
        const value = rowOf(`${model} text`, id).logits[k]! - rowOf(`${model} pmi`, id).logits[k]!;
        expect(value).toBeLessThan(0);
        const before = worth.get(option);
        if (before !== undefined) again++;
        expect(value).toBeCloseTo(before ?? value, 3);
        worth.set(option, value);
      }
    }
    expect(again).toBeGreaterThan(0);
  });
});

describe('text mode on a sliding-window model', () => {
  it.each(['reversed', 'alone'])('gives a row the same scores to 1e-4 (%s)', (other) => {
    let worst = 0;
    for (const job of [...SETS, 'pmi']) {
      for (const id of scored.get(`${other} ${job}`)!.keys()) {
        const [a, b] = [rowOf(`dunlin-base ${job}`, id), rowOf(`${other} ${job}`, id)];
        for (const [k, score] of Array.from(a.logits).entries())
          worst = Math.max(worst, Math.abs(score - b.logits[k]!));
      }
    }
    expect(worst).toBeLessThan(1e-4);
  });
});
