import { describe, expect, it } from 'vitest';
import type { Trial, TrialTime } from '../../../src/engine/protocol/protocol.js';
import { firstTrial } from '../../../src/scoring/tune/first-trial.js';

const GIVEN = { contexts: 2, sequences: 64, batchSize: 2048 };

/** A model that needs so many seconds a row and takes so many rows at once. */
async function first(total: number, { perRow, atOnce = 10 }: { perRow: number; atOnce?: number }, leastMs = 600) {
  const asked: Trial[] = [];
  const attempt = async (trial: Trial): Promise<TrialTime> => {
    asked.push(trial);
    const rows = Math.ceil(total / trial.step);
    const wallSeconds = Math.min(rows * perRow, trial.mostMs / 1000);
    const whole = rows * perRow <= trial.mostMs / 1000;
    return { rows, seconds: wallSeconds, batches: Math.ceil(rows / atOnce), contexts: 2, whole, wallSeconds };
  };
  const prompts = { length: total } as never;
  const found = await firstTrial({ jobs: [{ dataset: 'd', prompts, onRows: async () => {} }] }, GIVEN, {
    talk: { attempt },
    leastMs,
  });
  return { found, steps: asked.map(({ step }) => step) };
}

describe('firstTrial', () => {
  it('asks for some one and a half seconds of prompts', async () => {
    expect(await first(4096, { perRow: 1 / 160 })).toMatchObject({ found: { step: 16, time: { rows: 256 } } });
    const { found, steps } = await first(4096, { perRow: 1 / 1600 });
    expect(steps[0]).toBe(16);
    expect(found).toMatchObject({ step: 1, time: { seconds: expect.closeTo(2.56, 10) } });
  });

  it('takes more where contexts would have fewer than two batches', async () => {
    const { found } = await first(4096, { perRow: 1 / 100, atOnce: 128 });
    expect(found).toMatchObject({ step: 8, time: { batches: 4, whole: true } });
  });

  it('takes fewer where a trial is too long, and these are enough', async () => {
    const { found, steps } = await first(4096, { perRow: 0.3, atOnce: 128 });
    expect(steps).toEqual([16, 64]);
    expect(found).toMatchObject({ step: 64, time: { whole: true, rows: 64 } });
    expect(await first(4096, { perRow: 30 })).toMatchObject({ found: 'one of its prompts takes longer than 20 s' });
  });

  it('says that so few prompts tell no shapes apart', async () => {
    expect(await first(12, { perRow: 0.01 })).toMatchObject({
      found: 'its 12 prompts take 0.12 s, too short a time to tell shapes apart',
    });
  });
});
