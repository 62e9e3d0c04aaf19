import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ModelJob, ScoringEvents } from '../../src/contract/scorer.js';
import { contentHash } from '../../src/files/content-hash.js';
import { type DispatchSettings, queueRunner } from '../../src/queue/queue-runner.js';
import type { QueueServer } from '../../src/queue/server/queue-server.js';
import { readOffers, readWorkers } from '../../src/queue/server/registry.js';
import { writeRows } from '../../src/queue/wire/wire-rows.js';
import { connect, serverBinary, startServer, type TestServer, WITH_SERVER } from './queue-server.js';
import { FACTS, startWorker, stubJob, stubRow, VERSIONS } from './stub-suite.js';

const retry = { attempts: 3, backoffMs: 10, holdMs: 20_000 };

/** Runs a job over the queue, as a dispatcher does. */
async function dispatch(
  server: QueueServer,
  job: ModelJob,
  { events = {}, ...more }: Partial<DispatchSettings> & { readonly events?: ScoringEvents } = {},
) {
  const log: string[] = [];
  const runner = await queueRunner(
    {
      server,
      device: 'cpu',
      versions: VERSIONS,
      signal: new AbortController().signal,
      onLog: (_level, message) => void log.push(message),
      patienceMs: null,
      retry,
      limits: { rows: 5, bytes: 100_000 },
      pollMs: 20,
      ...more,
    },
    1,
  );
  try {
    return { outcome: await runner.run(job, events), log };
  } finally {
    await runner.close();
  }
}

/** Every row once, to the bit what a runner here would have brought. */
function expectLocalRows({ job, rows }: ReturnType<typeof stubJob>) {
  const ids = job.jobs.flatMap(({ prompts }) => prompts.map(({ id }) => id));
  expect([...rows.keys()].sort()).toEqual([...ids].sort());
  for (const id of ids) {
    const { logits, ...other } = stubRow(id);
    expect(rows.get(id)).toEqual([{ ...other, logits: Array.from(logits) }]);
  }
}

describe.skipIf(serverBinary === null)(`a run over a queue (${WITH_SERVER})`, () => {
  let test: TestServer;
  beforeAll(async () => {
    test = await startServer();
  });
  afterAll(() => test.stop());

  it('brings every row once, to the bit as a local run, from three workers, and leaves nothing behind', async () => {
    const server = await connect(test.url);
    const workers = await Promise.all(
      ['w1', 'w2', 'w3'].map(async (name) => startWorker(await connect(test.url), name)),
    );
    const suite = stubJob('m', 403);
    let bar = 0;
    const events = {
      onRows: (_model: string, _dataset: string, rows: number) => {
        bar += rows;
      },
    };
    const { outcome } = await dispatch(server, suite.job, { events });
    expect(outcome).toMatchObject({ kind: 'done', model: 'm', facts: FACTS });
    expectLocalRows(suite);
    expect(bar).toBe(403);
    const scored = await Promise.all(workers.map((worker) => worker.stop()));
    expect(scored.reduce((sum, rows) => sum + rows, 0)).toBe(403);
    expect((await server.client.keys('*')).filter((key) => !/stalled-check/.test(key))).toEqual([]);
  });

  it('puts no path and no secret of the dispatcher on the server, and no prompt before there is room', async () => {
    const server = await connect(test.url);
    const suite = stubJob('m', 100);
    const abort = new AbortController();
    const running = dispatch(server, suite.job, { signal: abort.signal, onServer: { ranges: 1, bytes: 1 } });
    const ids = async () => (await server.client.keys('supportcal:m-*')).filter((key) => /-1-\d+$/.test(key));
    while ((await ids()).length === 0) await new Promise((resolve) => setImmediate(resolve));
    const dump: string[] = [];
    for (const key of await server.client.keys('*')) {
      const type = await server.client.type(key);
      if (type === 'hash') dump.push(...Object.values(await server.client.hgetall(key)));
      if (type === 'string') dump.push((await server.client.get(key)) ?? '');
    }
    expect(dump.join('\n')).toContain('Question 0?');
    expect(dump.join('\n')).not.toContain('/secret/place');
    abort.abort();
    expect((await running).outcome).toMatchObject({ kind: 'failed', reason: expect.stringContaining('interrupted') });
    expect((await server.client.keys('*')).filter((key) => !/stalled-check/.test(key))).toEqual([]);
  });

  it('leaves nothing on the server when it is interrupted while workers score, whatever they send afterwards', async () => {
    const server = await connect(test.url);
    const abort = new AbortController();
    let scoring: () => void = () => {};
    const begun = new Promise<void>((resolve) => {
      scoring = resolve;
    });
    let goOn: () => void = () => {};
    const ended = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const before = () => {
      scoring();
      return ended;
    };
    const worker = startWorker(await connect(test.url), 'w', { habits: { before } });
    const running = dispatch(server, stubJob('m', 60).job, { signal: abort.signal });
    await begun;
    abort.abort();
    expect((await running).outcome.kind).toBe('failed');
    goOn();
    await worker.stop();
    expect((await server.client.keys('*')).filter((key) => !/stalled-check/.test(key))).toEqual([]);
  });

  it('gives ranges of a worker that hangs to the others, and that worker ends with a fault', async () => {
    const server = await connect(test.url);
    const hung = startWorker(await connect(test.url), 'hung', {
      habits: { before: () => new Promise<void>(() => {}) },
      silenceMs: 300,
    });
    const suite = stubJob('m', 60);
    const running = dispatch(server, suite.job);
    await expect(hung.ended).rejects.toThrow(/m: no row came for too long/);
    const sound = startWorker(await connect(test.url), 'sound');
    expect((await running).outcome.kind).toBe('done');
    expectLocalRows(suite);
    await sound.stop();
  });

  it('sets a range aside that fails every time, with its reason, and scores the others', async () => {
    const server = await connect(test.url);
    const before = (ids: readonly string[]) => {
      if (ids.includes('m-12')) throw new Error('the card caught fire');
    };
    const worker = startWorker(await connect(test.url), 'w', { habits: { before } });
    const suite = stubJob('m', 60);
    const { outcome } = await dispatch(server, suite.job);
    expect(outcome).toMatchObject({ kind: 'failed', model: 'm' });
    expect(outcome.kind === 'failed' && outcome.reason).toMatch(
      /^quiz, rows m-10 to m-14 \(5 rows\): set aside: worker w: the card caught fire$/,
    );
    expect(suite.rows.size).toBe(55);
    await worker.stop();
  });

  it('comes back to a range that failed, when its pause is over and nothing else is left', async () => {
    const server = await connect(test.url);
    let failures = 0;
    const before = () => {
      if (failures++ === 0) throw new Error('the card caught fire');
    };
    const worker = startWorker(await connect(test.url), 'w', { habits: { before } });
    const suite = stubJob('m', 5);
    expect((await dispatch(server, suite.job, { retry: { ...retry, backoffMs: 300 } })).outcome.kind).toBe('done');
    expect(failures).toBe(2);
    expectLocalRows(suite);
    await worker.stop();
  });

  it('gives a model up of which no row came for as long as it has patience', async () => {
    const server = await connect(test.url);
    const { outcome } = await dispatch(server, stubJob('m', 5).job, { patienceMs: 20 });
    expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringContaining('no worker brought a row') });
  });

  it('refuses a worker of another version, and both sides name both versions', async () => {
    const server = await connect(test.url);
    const said: string[] = [];
    const other = startWorker(await connect(test.url), 'old', {
      versions: { ...VERSIONS, tool: '0.9.0', llamaCpp: 'b0' },
      events: { onLog: (_level, message) => void said.push(message) },
    });
    // The dispatcher looks who is there at once, and then again after seconds.
    await vi.waitFor(async () => expect(await readWorkers(server)).toHaveLength(1), { timeout: 200_000, interval: 5 });
    const abort = new AbortController();
    const log: string[] = [];
    const onLog = (_level: string, message: string) => void log.push(message);
    const running = dispatch(server, stubJob('m', 5).job, { signal: abort.signal, onLog });
    // Each side sees the other when it looks, and either may be the first.
    for (const lines of [said, log])
      await vi.waitFor(() => expect(lines.join('\n')).toContain('is refused'), { timeout: 200_000, interval: 5 });
    abort.abort();
    await running;
    expect(await other.stop()).toBe(0);
    for (const line of [said.join('\n'), log.join('\n')]) {
      expect(line).toMatch(/is refused: .*supportcal 0\.9\.0 \(llama\.cpp b0, .*|is refused: .*supportcal 1\.0\.0/);
      expect(line).toContain('supportcal 1.0.0 (llama.cpp b1, node-llama-cpp 3.0.0, queue protocol 1)');
      expect(line).toContain('supportcal 0.9.0 (llama.cpp b0, node-llama-cpp 3.0.0, queue protocol 1)');
    }
  });

  it('gives nothing to a worker of another device, or one whose scores would be others', async () => {
    const server = await connect(test.url);
    const said: string[] = [];
    const cuda = startWorker(await connect(test.url), 'cuda', { device: 'cuda' });
    const changed = startWorker(await connect(test.url), 'changed', {
      events: { onLog: (_level, message) => void said.push(message) },
      async findModel({ model, identity }) {
        const place = { kind: 'gguf' as const, path: '/here', bytes: 1 };
        const runner = { run: () => Promise.reject(new Error('never')), close: async () => {} };
        const spec = { ...model, role: 'base' as const, bucket: 'default' };
        return {
          model: spec,
          place,
          identity: { ...identity, variables: { GGML_X: '1' } },
          runner,
          unchanged: async () => {},
        };
      },
    });
    const abort = new AbortController();
    const running = dispatch(server, stubJob('m', 5).job, { signal: abort.signal });
    const others = 'its scores would be others here';
    await vi.waitFor(() => expect(said.join('\n')).toContain(others), { timeout: 200_000, interval: 5 });
    abort.abort();
    expect((await running).outcome.kind).toBe('failed');
    expect(said.join('\n')).toContain(
      'its scores would be others here: variables is {"GGML_X":"1"}, the dispatcher has null',
    );
    expect([await cuda.stop(), await changed.stop()]).toEqual([0, 0]);
  });

  it('counts a row once, whoever sends it again, and takes no row that was not asked for', async () => {
    const server = await connect(test.url);
    const rowsOf = async () => (await readOffers(server)).offers[0]!.notice.rows;
    const sendAgain = async (data: object) => {
      const queue = new server.bullmq.Queue(await rowsOf(), server.options);
      for (let n = 0; n < 3; n++) await queue.add('rows', data, { removeOnComplete: true });
      await queue.close();
    };
    const suite = stubJob('m', 60);
    const seen: string[] = [];
    const before = async (ids: readonly string[]) => {
      const { queue, identity } = (await readOffers(server)).offers[0]!.tickets[0]!;
      const base = { queue, worker: 'twin', identity: contentHash(identity), facts: FACTS };
      const range = `${queue}-${Math.floor(Number(ids[0]!.split('-')[1]) / 5) + 1}`;
      const [rows = []] = writeRows(ids.map(stubRow));
      if (ids[0] === 'm-20') await sendAgain({ ...base, range, tokens: 1, rows: [{ ...rows[0], id: 'm-50' }] });
      else await sendAgain({ ...base, range, tokens: 1, rows });
      if (ids[0] === 'm-25') await sendAgain({ nonsense: true });
      seen.push(range);
    };
    const worker = startWorker(await connect(test.url), 'w', { habits: { before } });
    const { outcome, log } = await dispatch(server, suite.job);
    await worker.stop();
    expect(seen.length).toBeGreaterThanOrEqual(12);
    expect(log.join('\n')).toContain('is no rows came to the queue');
    // Three answers with a row of another range: that range is asked for again until it is set aside or answered.
    if (outcome.kind === 'done') expectLocalRows(suite);
    else expect(outcome.reason).toContain('which is not of this range');
    for (const copies of suite.rows.values()) expect(copies.length).toBe(1);
  });

  it('gives back what a worker has not begun when it is told to end, without waiting for its silence', async () => {
    const server = await connect(test.url);
    let begun: () => void = () => {};
    const beginning = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const first = startWorker(await connect(test.url), 'first', {
      habits: {
        async before(ids) {
          if (ids[0] === 'm-0') return;
          begun();
          await new Promise<void>((resolve) => leave.signal.addEventListener('abort', () => resolve()));
          throw new Error('interrupted');
        },
      },
    });
    const leave = new AbortController();
    const suite = stubJob('m', 60);
    const running = dispatch(server, suite.job, { retry: { ...retry, holdMs: 60_000 } });
    await beginning;
    const drained = first.stop();
    leave.abort();
    expect(await drained).toBe(5);
    const second = startWorker(await connect(test.url), 'second');
    expect((await running).outcome.kind).toBe('done');
    expect(await second.stop()).toBe(55);
    expectLocalRows(suite);
  });

  it('asks for rotated options only after all plain rows are kept', async () => {
    const server = await connect(test.url);
    const worker = startWorker(await connect(test.url), 'w');
    const [plain, rotated] = [stubJob('m', 40), stubJob('r', 40)];
    const order: string[] = [];
    const watched = (suite: typeof plain, name: string) => {
      const [job] = suite.job.jobs as [ModelJob['jobs'][number]];
      const onRows: typeof job.onRows = async (rows, facts) => {
        order.push(...rows.map(() => name));
        await job.onRows(rows, facts);
      };
      return { ...job, onRows };
    };
    const second = watched(rotated, 'rotated');
    const prompts = second.prompts.map((prompt) => ({ ...prompt, mode: 'rotations' as const, rotations: [] }));
    const jobs = [
      {
        ...second,
        prompts: prompts.map((each) => ({ ...each, rotations: [{ text: 'x', continuations: ['A', 'B', 'C'] }] })),
      },
      watched(plain, 'plain'),
    ];
    expect((await dispatch(server, { ...plain.job, jobs })).outcome.kind).toBe('done');
    expect(order).toEqual([...Array(40).fill('plain'), ...Array(40).fill('rotated')]);
    await worker.stop();
  });

  it('goes on after the server was killed in the middle and started again on what it had written', async () => {
    const own = await startServer();
    onTestFinished(() => own.stop());
    const server = await connect(own.url);
    let cuts = 0;
    const before = async (ids: readonly string[]) => {
      if (ids.includes('m-100') && cuts++ === 0) await own.restart();
    };
    const workers = [
      startWorker(await connect(own.url), 'w1', { habits: { before } }),
      startWorker(await connect(own.url), 'w2', { habits: { before } }),
    ];
    const suite = stubJob('m', 300);
    // What was on its way to a worker or back when the server died is held by nobody, and comes again after its hold.
    const soon = { ...retry, holdMs: 1_000 };
    expect((await dispatch(server, suite.job, { retry: soon })).outcome.kind).toBe('done');
    expect(cuts).toBeGreaterThan(0);
    expectLocalRows(suite);
    for (const worker of workers) await worker.stop();
  });

  it('puts ranges there again that the server lost with all it had', async () => {
    const server = await connect(test.url);
    let cuts = 0;
    const before = async (ids: readonly string[]) => {
      if (ids.includes('m-100') && cuts++ === 0) await server.client.flushall();
    };
    const worker = startWorker(await connect(test.url), 'w', { habits: { before } });
    const suite = stubJob('m', 300);
    const { outcome } = await dispatch(server, suite.job, { lostMs: 300, heartbeatMs: 100 });
    expect(outcome.kind).toBe('done');
    expect(cuts).toBeGreaterThan(0);
    expectLocalRows(suite);
    await worker.stop();
  });
});
