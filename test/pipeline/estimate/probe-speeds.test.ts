import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Scorer } from '../../../src/contract/scorer.js';
import type { InspectableModel } from '../../../src/pipeline/estimate/doctor-files.js';
import { probeSpeeds } from '../../../src/pipeline/estimate/probe-speeds.js';

const prompts = Array.from({ length: 1000 }, (_, n) => {
  return { id: `q${n}`, text: 'x', mode: 'letter' as const, continuations: ['A', 'B'], answerPrefix: null };
});
const model = (id: string): InspectableModel => ({
  model: { id, role: 'base', bucket: 'b', prompt: 'raw' },
  asked: [
    { dataset: 'd', kind: 'plain' },
    { dataset: 'd', kind: 'rotations' },
  ],
  job: {
    model: { id, role: 'base', bucket: 'b', prompt: 'raw' },
    place: { kind: 'gguf', path: '', bytes: 1 },
    jobs: [
      { dataset: 'd', prompts },
      { dataset: 'd', prompts },
    ],
  },
});

/** Loads for ten seconds, then 100 tokens every half second; `broken` fails after its first rows. */
function slowScorer(asked: number[]): Scorer {
  return async ([job], { signal }, events) => {
    if (job === undefined) return [];
    asked.push(...job.jobs.map((each) => each.prompts.length));
    vi.advanceTimersByTime(10_000);
    for (let n = 0; n < 50 && signal?.aborted !== true; n++) {
      events.onRows?.(job.model.id, 'd', 1, 100);
      if (job.model.id === 'broken') break;
      vi.advanceTimersByTime(500);
    }
    return [{ kind: 'failed', model: job.model.id, reason: 'interrupted' }];
  };
}

describe('probeSpeeds', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'], now: 0 }));
  afterEach(() => void vi.useRealTimers());

  it('times rows after the first ones until two seconds are over, of plain prompts alone', async () => {
    const asked: number[] = [];
    const absent: InspectableModel = {
      model: { id: 'absent', role: 'base', bucket: 'b', prompt: 'raw' },
      reason: null,
    };
    const settings = { device: 'cpu', cores: 1 } as const;
    const unknown = { scorer: slowScorer(asked), cpuTime: () => null };
    const speeds = await probeSpeeds([model('a'), absent, model('broken')], settings, undefined, unknown);
    expect([...speeds]).toEqual([['a', { tokens: 400, rows: 4, seconds: 2, start: 10, slowedBy: 1 }]]);
    expect(asked).toEqual([200, 200]);
  });

  it('times processors where it can, so that other work on the machine changes no speed', async () => {
    const began = performance.now();
    const quarter = { scorer: slowScorer([]), cpuTime: () => (performance.now() - began) / 4 };
    const speeds = await probeSpeeds([model('a')], { device: 'cpu', cores: 2 }, undefined, quarter);
    expect(speeds.get('a')).toEqual({ tokens: 1600, rows: 16, seconds: 1, start: 2.5, slowedBy: 8 });
    const onCard = await probeSpeeds([model('a')], { device: 'cuda', cores: 2 }, undefined, quarter);
    expect(onCard.get('a')).toMatchObject({ tokens: 400, seconds: 2, slowedBy: 1 });
  });

  it('ends after twenty seconds by the clock, however little processor time it got', async () => {
    const began = performance.now();
    const starved = { scorer: slowScorer([]), cpuTime: () => (performance.now() - began) / 100 };
    const speeds = await probeSpeeds([model('a')], { device: 'cpu', cores: 1 }, undefined, starved);
    expect(speeds.get('a')).toMatchObject({ tokens: 4000, rows: 40 });
  });
});
