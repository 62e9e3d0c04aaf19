import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { ScoredRow } from '../../../src/contract/scored-row.js';
import type { ModelJob } from '../../../src/contract/scorer.js';
import { modelTask } from '../../../src/engine/model-task.js';
import type { Backend } from '../../../src/engine/protocol/backend.js';
import type { FromWorker, TokensMessage, ToWorker, WorkerPlan } from '../../../src/engine/protocol/protocol.js';
import type { WorkerProcess } from '../../../src/scoring/process/worker-process.js';
import type { WorkerSlot } from '../../../src/scoring/process/worker-slot.js';
import { runModel } from '../../../src/scoring/run/run-model.js';
import { type TokenExchange, tokenExchange } from '../../../src/scoring/run/token-exchange.js';
import { backend as stub } from '../../engine/stub-backend.js';
import { PLAN } from '../../engine/stub-task.js';

const tokens = (chunk: number, length = 3): TokensMessage => ({
  kind: 'tokens',
  chunk,
  packed: new Uint32Array(length).fill(chunk),
});

function listener() {
  const heard: number[] = [];
  return { heard, send: (message: ToWorker) => void (message.kind === 'tokens' && heard.push(message.chunk)) };
}

describe('tokenExchange', () => {
  it('tells every other child once what one made, and a later one at once all that is known', () => {
    const exchange = tokenExchange();
    const [a, b, late] = [listener(), listener(), listener()];
    exchange.join(a);
    exchange.join(b);
    exchange.give(tokens(0), a);
    exchange.give(tokens(1), b);
    exchange.give(tokens(1), a);
    exchange.leave(a);
    exchange.give(tokens(2), b);
    exchange.join(late);
    expect([a.heard, b.heard, late.heard]).toEqual([[1], [0], [0, 1, 2]]);
  });

  it('keeps no more than its bytes for later ones, and tells on what is beyond them', () => {
    const exchange = tokenExchange(30);
    const [a, b, late] = [listener(), listener(), listener()];
    exchange.join(b);
    for (const chunk of [0, 1, 2, 3]) exchange.give(tokens(chunk), a);
    exchange.join(late);
    expect([b.heard, late.heard]).toEqual([
      [0, 1, 2, 3],
      [0, 1],
    ]);
  });
});

/** A slot whose child is a task of this process, and the texts that it tokenised. */
function ownSlot(): { readonly slot: WorkerSlot; readonly tokenised: () => number } {
  let tokenised = 0;
  const counting: Backend = {
    ...stub,
    load: async (request) => {
      const model = await stub.load(request);
      const tokenize = (text: string) => {
        tokenised += 1;
        return model.tokenize(text);
      };
      return { ...model, tokenize };
    },
  };
  const child = new EventEmitter();
  const task = modelTask(counting, (message: FromWorker) => void child.emit('message', message));
  const worker = {
    child,
    ready: Promise.resolve(),
    gone: new Promise<string>(() => {}),
    lastOutput: () => '',
    send: (message: Exclude<ToWorker, { kind: 'prepare' }>) => task.receive(message),
  } as unknown as WorkerProcess;
  return { slot: { take: () => worker, kill: async () => {}, end: async () => {} }, tokenised: () => tokenised };
}

const prompts = Array.from({ length: 1200 }, (_, n) => ({
  id: `r${n}`,
  text: `a question that is too long to be remembered by its text, with the number ${n}`,
  mode: 'letter' as const,
  continuations: ['A', 'B'],
  answerPrefix: null,
}));

async function scored(exchange: TokenExchange | null, share?: WorkerPlan['share'], asked = prompts) {
  const rows = new Map<string, ScoredRow>();
  const { slot, tokenised } = ownSlot();
  const job: ModelJob = {
    model: { id: 'm', role: 'base', bucket: 'b', prompt: 'raw' },
    place: { kind: 'gguf', path: '/m.gguf', bytes: 1000 },
    jobs: [{ dataset: 'd', prompts: asked, onRows: async (some) => some.forEach((row) => void rows.set(row.id, row)) }],
  };
  const plan = { ...PLAN, sequences: 64, ...(share && { share }) };
  const common = { batchSeconds: 100, signal: new AbortController().signal, events: {} };
  const outcome = await runModel({ job, plan, slot, ...common, ...(exchange && { tokens: exchange }) });
  expect(outcome).toMatchObject({ kind: 'done' });
  return { rows, tokenised: tokenised() };
}

describe('children of one model', () => {
  it('tokenise together what each needs, score the rows of one child, and a later one makes nothing but the first chunk', async () => {
    const alone = await scored(null);
    expect(alone.rows.size).toBe(1200);
    const exchange = tokenExchange();
    const shares = [0, 1].map((index) => ({ index, count: 2 }));
    const both = await Promise.all(shares.map((share) => scored(exchange, share)));
    expect(new Map(both.flatMap(({ rows }) => [...rows]))).toEqual(alone.rows);
    expect(both[0]!.rows.size + both[1]!.rows.size).toBe(1200);
    // Two of twelve chunks are made twice at most: the first, and the one where they meet.
    for (const each of both) expect(each.tokenised).toBeLessThanOrEqual((alone.tokenised * 8) / 12 + 10);
    const late = await scored(exchange);
    expect(late.rows).toEqual(alone.rows);
    expect(late.tokenised).toBeLessThanOrEqual(alone.tokenised / 12 + 10);
  });

  it('tell nothing where there are few prompts', async () => {
    const exchange = tokenExchange();
    const few = prompts.slice(0, 300);
    const [first, second] = [await scored(exchange, undefined, few), await scored(exchange, undefined, few)];
    expect(second.tokenised).toBe(first.tokenised);
  });
});
