import { expect, it, vi } from 'vitest';
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

it('times rows after the first ones until two seconds are over, of plain prompts alone', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const asked: number[] = [];
    /** Loads for ten seconds, then 100 tokens every half second; `broken` fails after its first rows. */
    const scorer: Scorer = async ([job], { signal }, events) => {
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
    const absent: InspectableModel = {
      model: { id: 'absent', role: 'base', bucket: 'b', prompt: 'raw' },
      reason: null,
    };
    const settings = { device: 'cpu', cores: 1 } as const;
    const speeds = await probeSpeeds([model('a'), absent, model('broken')], settings, undefined, scorer);
    expect([...speeds]).toEqual([['a', { tokens: 400, rows: 4, seconds: 2, start: 10 }]]);
    expect(asked).toEqual([200, 200]);
  } finally {
    vi.useRealTimers();
  }
});
