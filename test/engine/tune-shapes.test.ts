import { describe, expect, it } from 'vitest';
import { modelTask } from '../../src/engine/model-task.js';
import type { Backend, ContextRequest } from '../../src/engine/protocol/backend.js';
import type { FromWorker, Trial, TrialTime, WirePrompt } from '../../src/engine/protocol/protocol.js';
import { PLAN, withContext } from './stub-task.js';

const PROMPTS = Array.from(
  { length: 40 },
  (_, n): WirePrompt => ({
    id: String(n),
    text: 'x'.repeat(20 + (n % 3)),
    mode: 'letter',
    continuations: ['A', 'B'],
    answerPrefix: null,
  }),
);
const TRIAL: Trial = { contexts: 2, sequences: 4, batchSize: 512, step: 1, mostMs: 60_000 };

/** The trials of one model, from load to stop. */
async function tried(trials: readonly Trial[], backend: Backend) {
  const sent: FromWorker[] = [];
  const times: (TrialTime | null)[] = [];
  const task = modelTask(backend, (message) => {
    sent.push(message);
    if (message.kind !== 'tried') return;
    times.push(message.time);
    if (times.length === trials.length) task.receive({ kind: 'stop' });
  });
  task.receive({ kind: 'load', plan: PLAN });
  task.receive({ kind: 'prompts', job: 0, prompts: PROMPTS });
  task.receive({ kind: 'tune' });
  for (const trial of trials) task.receive({ kind: 'trial', trial });
  await task.ended;
  return { times, sent };
}

/** The stub, with what was opened, closed and evaluated. */
function watched(most = 100) {
  const requests: ContextRequest[] = [];
  const calls: number[] = [];
  let closed = 0;
  const backend = withContext((context, request) => {
    if (request.sequences > most) throw new Error('out of memory');
    requests.push(request);
    return {
      close: async () => void closed++,
      evaluate: async (rows, shared) => {
        calls.push(rows.length);
        return await context.evaluate(rows, shared);
      },
    };
  });
  return { backend, requests, calls, closed: () => closed };
}

describe('the trials of a model', () => {
  it('score its prompts in each shape, loaded once, send no row, and close what they opened', async () => {
    const { backend, requests, closed } = watched();
    const shapes = [TRIAL, { ...TRIAL, contexts: 3, sequences: 8, batchSize: 256 }];
    const { times, sent } = await tried(shapes, backend);
    // The first batch is compared with its prompts alone, before the clock starts.
    expect(times.map((time) => time?.batches)).toEqual([9, 4]);
    for (const time of times) {
      expect(time?.rows).toBeGreaterThan(0);
      expect(time?.wallSeconds).toBeGreaterThan(time?.seconds ?? 0);
    }
    expect(times.map((time) => [time?.contexts, time?.whole])).toEqual([
      [2, true],
      [3, true],
    ]);
    expect(times.every((time) => (time?.seconds ?? 0) > 0)).toBe(true);
    expect(sent.filter(({ kind }) => kind === 'rows' || kind === 'batch' || kind === 'loaded')).toEqual([]);
    expect(sent.at(-1)).toEqual({ kind: 'done', stopped: true });
    expect(requests.map(({ sequences, batchSize }) => [sequences, batchSize])).toEqual([
      [4, 512],
      [4, 512],
      [8, 256],
      [8, 256],
      [8, 256],
    ]);
    expect(closed()).toBe(5);
  });

  it('take every nth prompt, and one in eight of these to warm up', async () => {
    const { backend, calls } = watched();
    const { times } = await tried([{ ...TRIAL, contexts: 1, step: 2 }], backend);
    expect(times[0]?.batches).toBe(4);
    const whole = calls.filter((rows) => rows > 1);
    // 3 prompts warm up; 20 are five batches of 4.
    expect(whole).toEqual([3, 4, 4, 4, 4, 4]);
  });

  it('end at their limit of time with the rows that came by then', async () => {
    const { times } = await tried([{ ...TRIAL, contexts: 1, mostMs: -1 }], watched().backend);
    expect(times).toEqual([expect.objectContaining({ rows: 0, whole: false })]);
  });

  it('a shape that memory does not suffice for is no trial, and the next one is made all the same', async () => {
    const { times } = await tried([{ ...TRIAL, sequences: 16 }, TRIAL], watched(8).backend);
    expect(times).toEqual([null, expect.objectContaining({ batches: 9 })]);
  });
});
