import { describe, expect, it } from 'vitest';
import type { ScoredRow } from '../../src/contract/scored-row.js';
import type { ScoringEvents } from '../../src/contract/scorer.js';
import { scoreModels } from '../../src/scoring/score-models.js';
import { startedModule } from '../built-modules.js';
import { workerProcesses } from './worker-processes.js';

const backendModule = startedModule('scoring/slow-backend').href;
const ROWS = 96;
const SEQUENCES = 8;

const workers = () => workerProcesses('slow-backend');

/** Scores rows of one length; `onGroup` runs as rows arrive. */
async function score(onGroup: (rows: number) => void) {
  const kept: ScoredRow[] = [];
  const logs: string[] = [];
  const batches: number[] = [];
  const prompts = Array.from({ length: ROWS }, (_, n) => ({
    id: `r${n + 1}`,
    text: 'plain',
    mode: 'letter' as const,
    continuations: ['A', 'B'],
    answerPrefix: null,
  }));
  const events: ScoringEvents = { onLog: (_, line) => void logs.push(line) };
  const onRows = async (rows: readonly ScoredRow[]) => {
    kept.push(...rows);
    batches.push(rows.length);
    onGroup(kept.length);
  };
  const model = { id: 'm', role: 'base', bucket: 'b', prompt: 'raw', scoring: { sequences: SEQUENCES } } as const;
  const [outcome] = await scoreModels(
    [{ model, place: { kind: 'gguf', path: '/stub.gguf', bytes: 1000 }, jobs: [{ dataset: 'd', prompts, onRows }] }],
    { device: 'cpu', cores: 1 },
    events,
    { backendModule, batchSeconds: 120, freeMemory: async () => 2 ** 40 },
  );
  return { outcome, kept, logs: logs.filter((line) => line.includes('trying again')) };
}

describe.skipIf(process.platform !== 'linux')('a worker that is killed from outside', () => {
  it('in the middle of a batch costs that batch at most: every other row is kept, and the model finishes', async () => {
    let killed = 0;
    const { outcome, kept, logs } = await score(() => {
      if (killed > 0) return;
      killed = workers()[0]!;
      // The next batch, which takes 60 ms, begins when this one is stored.
      setTimeout(() => process.kill(killed, 'SIGKILL'), 30);
    });
    expect(killed).toBeGreaterThan(0);
    expect(outcome).toMatchObject({ kind: 'done' });
    // Every row once: what was delivered is not scored again, what was in hand is.
    expect(kept.map((row) => row.id).sort()).toEqual(Array.from({ length: ROWS }, (_, n) => `r${n + 1}`).sort());
    expect(kept.every((row) => row.status === 'ok')).toBe(true);
    expect(logs).toHaveLength(1);
    expect(logs[0]).toMatch(/^m: the worker process ended: signal SIGKILL.*trying again with 8 sequence/);
    expect(logs[0]).toMatch(/at d, rows? r\d+|between two batches/);
    const inHand = /\((\d+) rows\)/.exec(logs[0]!);
    expect(Number(inHand?.[1] ?? 0)).toBeLessThanOrEqual(SEQUENCES);
  });

  it('again and again fails the model in the end, with what was scored kept', async () => {
    const shot = new Set<number>();
    const timer = setInterval(() => {
      for (const pid of workers()) {
        if (shot.has(pid)) continue;
        shot.add(pid);
        process.kill(pid, 'SIGKILL');
      }
    }, 10);
    try {
      const { outcome } = await score(() => {});
      expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/signal SIGKILL.*crash 3/) });
      expect(shot.size).toBe(3);
    } finally {
      clearInterval(timer);
    }
  });
});
