import { describe, expect, it } from 'vitest';
import { modelTask } from '../../src/engine/model-task.js';
import type { Backend, ContextRequest } from '../../src/engine/protocol/backend.js';
import type { FromWorker, Trial, TrialTime, WirePrompt, WorkerPlan } from '../../src/engine/protocol/protocol.js';
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
const TRIAL: Trial = { contexts: 2, sequences: 4, batchSize: 512, ms: 0 };

/** The trials of one model, from load to stop. */
async function tried(
  trials: readonly Trial[],
  backend: Backend,
  jobs: readonly WirePrompt[][] = [PROMPTS],
  plan: Partial<WorkerPlan> = {},
) {
  const sent: FromWorker[] = [];
  const times: (TrialTime | null)[] = [];
  const task = modelTask(backend, (message) => {
    sent.push(message);
    if (message.kind !== 'tried') return;
    times.push(message.time);
    if (times.length === trials.length) task.receive({ kind: 'stop' });
  });
  task.receive({ kind: 'load', plan: { ...PLAN, ...plan } });
  for (const [job, prompts] of jobs.entries()) task.receive({ kind: 'prompts', job, prompts });
  task.receive({ kind: 'tune' });
  for (const trial of trials) task.receive({ kind: 'trial', trial });
  await task.ended;
  return { times, sent };
}

/** The stub, with what was opened, closed and evaluated, on a machine with memory for so many sequences. */
function watched(most = 100) {
  const requests: ContextRequest[] = [];
  const calls: number[] = [];
  /** The numbers of the contexts that evaluated, as they were opened. */
  const users: number[] = [];
  const open = new Set<number>();
  let closed = 0;
  let taken = 0;
  const backend = withContext((context, request) => {
    if (taken + request.sequences > most) throw new Error('out of memory');
    taken += request.sequences;
    const number = requests.push(request);
    open.add(number);
    return {
      close: async () => {
        expect(open.delete(number)).toBe(true);
        taken -= request.sequences;
        closed++;
      },
      evaluate: async (rows, shared) => {
        expect(rows.length).toBeLessThanOrEqual(request.sequences);
        users.push(number);
        calls.push(rows.length);
        return await context.evaluate(rows, shared);
      },
    };
  });
  return { backend, requests, calls, users, closed: () => closed };
}

describe('the trials of a model', () => {
  it('evaluate its prompts in each shape, loaded once, send no row, and close what they opened', async () => {
    const { backend, requests, closed } = watched();
    const shapes = [TRIAL, { ...TRIAL, contexts: 3, sequences: 8, batchSize: 256 }];
    const { times, sent } = await tried(shapes, backend);
    expect(times).toEqual([2, 3].map(() => ({ rows: 40, seconds: expect.any(Number), fault: null })));
    for (const time of times) expect(time?.seconds).toBeGreaterThan(0);
    // The parent sees life before the contexts are open, before the warming and before the batches.
    const spoken = sent.flatMap(({ kind }) => (kind === 'progress' || kind === 'tried' ? [kind] : []));
    expect(spoken.slice(-8)).toEqual([0, 1].flatMap(() => ['progress', 'progress', 'progress', 'tried']));
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

  it('use the contexts of the last one again where their number alone differs', async () => {
    const { backend, requests, users, closed } = watched();
    const counts = [2, 4, 1, 3];
    await tried([...counts.map((contexts) => ({ ...TRIAL, contexts })), { ...TRIAL, batchSize: 64 }], backend);
    // Each warms up and evaluates two batches of the ten.
    const numbers = [[1, 2], [1, 2, 3, 4], [1], [1, 2, 3], [5, 6]];
    expect(users.length).toBe(3 * numbers.flat().length);
    for (const each of numbers) expect(new Set(users.splice(0, 3 * each.length))).toEqual(new Set(each));
    // Four of one shape, two of the other.
    expect(requests.map(({ batchSize }) => batchSize)).toEqual([512, 512, 512, 512, 64, 64]);
    expect(closed()).toBe(6);
  });

  it('open contexts anew after one in which too many rows failed', async () => {
    const { backend, requests, closed } = watched();
    const failing = PROMPTS.map((prompt) => ({ ...prompt, text: `THROW${prompt.text}` }));
    const { times } = await tried([TRIAL, TRIAL], backend, [failing]);
    expect(times.map((time) => time?.fault)).toEqual([expect.any(String), expect.any(String)]);
    expect([requests.length, closed()]).toEqual([4, 4]);
  });

  it('warm every context up, one with a whole batch, and begin two in each at least, all there are in enough time', async () => {
    const few = watched();
    await tried([TRIAL], few.backend);
    // There are ten batches of four prompts.
    expect(few.calls).toEqual([4, 2, 4, 4, 4, 4]);
    const all = watched();
    await tried([{ ...TRIAL, ms: 60_000 }], all.backend);
    expect(all.calls).toEqual([4, 2, ...Array.from({ length: 10 }, () => 4)]);
  });

  it('take batches of all lengths', async () => {
    const lengths = new Set<number>();
    const backend = withContext((context) => ({
      evaluate: async (rows, shared) => {
        for (const { tokens } of rows) lengths.add(tokens.length);
        return await context.evaluate(rows, shared);
      },
    }));
    await tried([{ ...TRIAL, contexts: 1, sequences: 3 }], backend);
    expect(lengths.size).toBeGreaterThan(1);
  });

  it('say that too many rows failed, which are fast', async () => {
    const failing = PROMPTS.map((prompt, n) => (n % 4 === 0 ? prompt : { ...prompt, text: `THROW${prompt.text}` }));
    const { times } = await tried([{ ...TRIAL, ms: 60_000 }], watched().backend, [failing]);
    expect(times[0]?.fault).toMatch(/^30 of 40 evaluated rows failed, .* its last failure: .*decode failed$/);
    const few = PROMPTS.map((prompt, n) => (n % 4 === 0 ? { ...prompt, text: `THROW${prompt.text}` } : prompt));
    expect((await tried([{ ...TRIAL, ms: 60_000 }], watched().backend, [few])).times[0]?.fault).toBeNull();
  });

  it('evaluate the pmi prompts of their own batches, none that the warming or batches to come have', async () => {
    const calls: string[] = [];
    const backend = withContext((context) => ({
      evaluateTexts: async (rows, shared) => {
        calls.push(`${rows.length} ${rows[0]?.tokens.length}`);
        return await context.evaluateTexts(rows, shared);
      },
    }));
    const texts = PROMPTS.map(
      (prompt, n): WirePrompt => ({
        ...prompt,
        text: 'x'.repeat(20),
        mode: 'text',
        continuations: [`a${n}`, `b${n}`],
        textScore: { normalize: 'pmi', pmiPrompt: 'Answer:' },
      }),
    );
    await tried([{ ...TRIAL, contexts: 1, ms: 60_000 }], backend, [texts]);
    const batch = ['4 22', '4 9'];
    expect(calls).toEqual(Array.from({ length: 11 }, () => batch).flat());
  });

  const repliesOf = (maxTokens: number) =>
    PROMPTS.flatMap((prompt): WirePrompt[] =>
      [1, 2].map((sample) => ({
        ...prompt,
        id: `${prompt.id}#${sample}`,
        mode: 'reply',
        reply: {
          example: prompt.id,
          sample,
          seed: sample,
          temperature: 0,
          maxTokens,
          form: null,
          options: ['x', 'y'],
        },
      })),
    );

  it('time replies by themselves, and all of them with the prompts that they share', async () => {
    const { backend, calls } = watched();
    const { times } = await tried([TRIAL], backend, [PROMPTS, repliesOf(3)]);
    expect(times).toEqual([expect.objectContaining({ rows: 120 })]);
    expect(calls).toEqual([4, 2, 4, 4, 4, 4]);
  });

  it('write one reply to each prompt of the five that a run would', async () => {
    const samples: number[] = [];
    const backend = withContext((context) => ({
      generate: async (rows, shared) => {
        samples.push(...rows.map((row) => row.samples.length));
        return await context.generate(rows, shared);
      },
    }));
    const five = PROMPTS.flatMap((_, n) => {
      const first = repliesOf(3)[2 * n]!;
      return [1, 2, 3, 4, 5].map((sample) => ({
        ...first,
        id: `${first.id}${sample}`,
        reply: { ...first.reply!, sample },
      }));
    });
    const { times } = await tried([TRIAL], backend, [five]);
    expect(new Set(samples)).toEqual(new Set([1]));
    expect(times[0]?.rows).toBe(200);
  });

  it('say that replies fail beyond their first token', async () => {
    const backend = withContext((context) => ({
      generate: async (rows, shared) => {
        const written = await context.generate(rows, shared);
        return written.map((each, n) =>
          each.map((reply) =>
            (rows[n]?.maxTokens ?? 0) > 1 ? ({ kind: 'error', message: 'decode failed' } as const) : reply,
          ),
        );
      },
    }));
    const { times } = await tried([TRIAL], backend, [repliesOf(30)]);
    expect(times[0]?.fault).toMatch(/evaluated rows failed.*decode failed$/);
  });

  it('time replies of two limits each by themselves: a token of each to get warm, a token again, and all', async () => {
    const limits: number[] = [];
    const backend = withContext((context) => ({
      generate: async (rows, shared) => {
        limits.push(...new Set(rows.map(({ maxTokens }) => maxTokens)));
        return await context.generate(rows, shared);
      },
    }));
    await tried([TRIAL], backend, [repliesOf(3), repliesOf(90)]);
    expect(limits).toEqual([1, 1, 1, 3, 1, 1, 1, 90]);
  });

  it('a shape that memory does not suffice for is no trial, and the next one is made all the same', async () => {
    const { times } = await tried([{ ...TRIAL, sequences: 16 }, TRIAL], watched(8).backend);
    expect(times).toEqual([null, expect.objectContaining({ rows: 40 })]);
  });

  it('a shape with memory for some of its contexts is none either, and leaves the memory to the next one', async () => {
    const { backend, users, closed } = watched(15);
    const three = { ...TRIAL, contexts: 3 };
    const { times } = await tried([TRIAL, { ...TRIAL, contexts: 4 }, three, TRIAL], backend);
    expect(times.map((time) => time !== null)).toEqual([true, false, true, true]);
    expect([new Set(users.slice(6, 15)), new Set(users.slice(15))]).toEqual([new Set([4, 5, 6]), new Set([4, 5])]);
    expect(closed()).toBe(6);
  });

  it('take no further context that memory leaves fewer sequences for', async () => {
    const { backend, closed } = watched(10);
    const { times } = await tried([TRIAL, { ...TRIAL, contexts: 3 }], backend, [PROMPTS], { company: 'if-exact' });
    expect(times).toEqual([expect.objectContaining({ fault: null }), null]);
    expect(closed()).toBe(3);
  });

  it('close no context twice, where closing one fails', async () => {
    const numbers: number[] = [];
    let opened = 0;
    const backend = withContext(() => {
      const number = ++opened;
      return {
        close: async () => {
          numbers.push(number);
          throw new Error('the card is gone');
        },
      };
    });
    const { sent } = await tried([TRIAL, { ...TRIAL, sequences: 8 }], backend);
    expect(sent.at(-1)).toMatchObject({ kind: 'failed', reason: expect.stringContaining('the card is gone') });
    expect(numbers).toEqual([1, 2]);
  });
});
