import { describe, expect, it } from 'vitest';
import type { ModelJob, Scorer } from '../../../src/contract/scorer.js';
import type { ModelSource } from '../../../src/contract/source.js';
import { scoreBySource } from '../../../src/scoring/source/score-by-source.js';

const job = (id: string): ModelJob => ({
  model: { id, role: 'base', bucket: 'b', prompt: 'raw' },
  place: { kind: 'gguf', path: `/${id}.gguf`, bytes: 1 },
  jobs: [],
});
const JOBS = ['a', 'b', 'c', 'd'].map(job);
const SETTINGS = { device: 'cpu', cores: 1 } as const;

/** A scorer that keeps which models it was given, and answers in the opposite order. */
function scorer(calls: string[][]): Scorer {
  return async (jobs) => {
    calls.push(jobs.map(({ model }) => model.id));
    return jobs.map(({ model }) => ({ kind: 'failed' as const, model: model.id, reason: 'no model' })).reverse();
  };
}

function sources(scores: Record<string, Scorer | null>): Map<string, ModelSource> {
  return new Map(Object.entries(scores).map(([id, score]) => [id, { score } as ModelSource]));
}

describe('scoreBySource', () => {
  it('gives each scorer all jobs of its source at once, and outcomes in the order of the jobs', async () => {
    const [here, there]: [string[][], string[][]] = [[], []];
    const [first, second] = [scorer(here), scorer(there)];
    const score = scoreBySource(sources({ a: first, b: second, c: first, d: second }));
    const outcomes = await score(JOBS, SETTINGS, {});
    expect([here, there]).toEqual([[['a', 'c']], [['b', 'd']]]);
    expect(outcomes.map(({ model }) => model)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('fails a model whose source scores nothing, alone', async () => {
    const calls: string[][] = [];
    const score = scoreBySource(sources({ a: scorer(calls), b: null }));
    const outcomes = await score(JOBS.slice(0, 2), SETTINGS, {});
    expect(calls).toEqual([['a']]);
    expect(outcomes).toMatchObject([{ model: 'a' }, { model: 'b', reason: 'its source scores nothing here' }]);
  });

  it('rejects with the fault of one source when all have ended', async () => {
    let ended = false;
    const slow: Scorer = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      ended = true;
      return [];
    };
    const failing: Scorer = async () => {
      throw new Error('disk full');
    };
    const score = scoreBySource(sources({ a: failing, b: slow }));
    await expect(score(JOBS.slice(0, 2), SETTINGS, {})).rejects.toThrow('disk full');
    expect(ended).toBe(true);
  });
});
