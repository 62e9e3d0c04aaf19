import { describe, expect, it } from 'vitest';
import { openContexts } from '../../src/engine/open-contexts.js';
import type { ContextRequest, LoadedModel } from '../../src/engine/protocol/backend.js';
import type { WorkerPlan } from '../../src/engine/protocol/protocol.js';

const plan = { contextSize: null, sequences: 64, cells: 6400, contexts: 1, batchSize: 2048, threads: 1 } as WorkerPlan;

/** A model whose contexts hold at most `room` tokens. */
function modelWith(room: number): { model: LoadedModel; asked: ContextRequest[] } {
  const asked: ContextRequest[] = [];
  const openContext = async (request: ContextRequest) => {
    asked.push(request);
    if (request.contextSize * request.sequences > room) throw new Error('out of memory');
    return request;
  };
  return { model: { info: { trainContextSize: 4096 }, openContext } as unknown as LoadedModel, asked };
}

describe('openContexts', () => {
  it('gives long prompts fewer sequences, so that all of them hold `cells` tokens at most', async () => {
    const { model, asked } = modelWith(1e9);
    await openContexts(model, plan, 99);
    await openContexts(model, plan, 199);
    await openContexts(model, { ...plan, contextSize: 10_000 }, 199);
    expect(asked.map((request) => request.sequences)).toEqual([64, 32, 1]);
  });

  it('holds the size that models.yaml declares where the context is rounded up, and reports every other as it is', async () => {
    const openContext = async (request: ContextRequest) => ({ ...request, tokensPerSequence: 256 });
    const model = { info: { trainContextSize: 4096 }, openContext } as unknown as LoadedModel;
    const sizes = async (contextSize: number | null) =>
      (await openContexts(model, { ...plan, contextSize, contexts: 2 }, 99)).map((each) => each.tokensPerSequence);
    expect(await sizes(64)).toEqual([64, 64]);
    expect(await sizes(null)).toEqual([256, 256]);
    expect(await sizes(300)).toEqual([256, 256]);
  });

  it('halves the sequences until the context fits', async () => {
    const { model, asked } = modelWith(2000);
    await openContexts(
      { ...model, info: { ...model.info, exactInCompany: true } },
      { ...plan, company: 'if-exact' },
      99,
    );
    expect(asked.map((request) => request.sequences)).toEqual([64, 32, 16]);
  });

  it('opens sequences for short company only where that leaves no trace, and within 1,024 tokens', async () => {
    const { model, asked } = modelWith(1e9);
    const inTurn = { ...plan, sequences: 4, company: 'never', flashAttention: 'off' } as WorkerPlan;
    const exact = { ...model, info: { ...model.info, exactAlone: true } };
    await openContexts(exact, inTurn, 99);
    await openContexts(exact, inTurn, 399);
    await openContexts(exact, { ...inTurn, lora: [{ path: '/a.gguf', scale: 1 }] }, 99);
    await openContexts(exact, { ...inTurn, flashAttention: 'on' }, 99);
    await openContexts(model, inTurn, 99);
    expect(asked.map(({ sequences, inTurn }) => [sequences, inTurn])).toEqual([
      [4, 4],
      [2, 4],
      [1, 4],
      [1, 4],
      [1, 4],
    ]);
  });

  it('refuses fewer sequences where their number decides numbers, and says what to write', async () => {
    const { model, asked } = modelWith(2000);
    for (const each of [plan, { ...plan, company: 'always' as const }])
      await expect(openContexts(model, each, 99)).rejects.toThrow(/no context of 64 x 100 .*sequences: 32 \}/);
    expect(asked).toHaveLength(2);
  });

  it('fails with the size asked for when not even one sequence fits', async () => {
    await expect(openContexts(modelWith(50).model, { ...plan, sequences: 1 }, 99)).rejects.toThrow(
      'no context of 100 tokens',
    );
  });
});
