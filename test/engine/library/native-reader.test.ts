import { describe, expect, it } from 'vitest';
import { type NativeReader, readNatively, whileOpen } from '../../../src/engine/library/native-reader.js';
import { nativeWriter } from '../../../src/engine/library/write-natively.js';
import { logitRequest } from '../../../src/engine/llama/read-logits.js';

const SAMPLER = {};

function contextWith(reader: Partial<NativeReader>) {
  const native = { sampleToken: async (...asked: unknown[]) => ['the library', asked.length] as unknown };
  const refuse = () => Promise.reject(new Error('not asked for'));
  readNatively({ _ctx: native } as object, { read: refuse, write: refuse, ...reader });
  return native as { sampleToken(...asked: unknown[]): Promise<unknown> };
}

/** What the library hands to its binding for `logitRequest`. */
function askedFor(ids: readonly number[]): unknown[] {
  const { logits, totalLogitWeight } = logitRequest(ids);
  return [false, false, [logits.filter.tokens, false, false, logits.filter.includeSelected, 0], totalLogitWeight];
}

describe('readNatively', () => {
  it('answers a request for logits in the form of the binding, the token of the greatest among them', async () => {
    const asked: unknown[] = [];
    const native = contextWith({
      read: async (...all) => {
        asked.push(...all);
        return new Float64Array([9, 2.5, -1, 0.5, 3]);
      },
    });
    const answer = await native.sampleToken(4, SAMPLER, ...askedFor([7, 8]));
    expect(answer).toEqual([9, undefined, undefined, [7, -1, 8, 0.5, 9, 3], 2.5]);
    expect(asked).toEqual([native, 4, [7, 8]]);
  });

  it('leaves every other question to the library', async () => {
    const native = contextWith({});
    const [probabilities, confidence, logits, total] = askedFor([7]);
    const [tokens] = logits as [number[]];
    for (const others of [
      [true, confidence, logits, total],
      [probabilities, true, logits, total],
      [probabilities, confidence, true, total],
      [probabilities, confidence, logits, false],
      [probabilities, confidence, [tokens, true, false, true, 0], total],
      [probabilities, confidence, [tokens, false, false, true, 3], total],
    ]) {
      expect(await native.sampleToken(4, SAMPLER, ...others)).toEqual(['the library', 6]);
    }
    expect(await native.sampleToken(4, SAMPLER)).toEqual(['the library', 2]);
  });
});

describe('nativeWriter', () => {
  it('hands over what each sequence holds, and who keeps a lone reply company', async () => {
    const asked: unknown[][] = [];
    const reader: NativeReader = {
      read: () => Promise.reject(new Error('not asked for')),
      write: async (...all) => {
        asked.push(all);
        return [{ tokens: Int32Array.of(5), ended: true }];
      },
    };
    const native = {};
    let guards = 0;
    const createPreventDisposalHandle = () => ({ dispose: () => void guards++ });
    const context = { _ctx: native, _backendContextDisposeGuard: { createPreventDisposalHandle } };
    const model = { tokens: { eos: 2, eot: null } };
    const write = nativeWriter(model as never, context as never, { reader, threads: 12 });
    const sequenceOf = (id: number, held: number) => ({ _sequenceId: id, nextTokenIndex: held }) as never;
    const start = { sequence: sequenceOf(4, 17), last: 99, temperature: 0.5, seed: 2 ** 52 + 1, maxTokens: 8 };
    expect(await write([start], sequenceOf(6, 20))).toEqual([{ tokens: Int32Array.of(5), ended: true }]);
    const [row, company] = [
      [4, 17, 99, 0.5, 2 ** 52 + 1, 8],
      [6, 20, 99, 0, 0, 0],
    ];
    expect(asked).toEqual([[native, Float64Array.from(row), Float64Array.from(company), Float64Array.of(2), 12]]);
    await write([start, start], undefined);
    expect(asked[1]?.slice(1, 3)).toEqual([Float64Array.from([...row, ...row]), new Float64Array()]);
    expect(guards).toBe(2);
  });
});

describe('whileOpen', () => {
  it('lets the library close the context once the work is over, however it ends', async () => {
    const order: string[] = [];
    const createPreventDisposalHandle = () => {
      order.push('kept');
      return { dispose: () => void order.push('free') };
    };
    const context = { _ctx: {}, _backendContextDisposeGuard: { createPreventDisposalHandle } };
    const work = async () => {
      order.push('work');
      throw new Error('no room');
    };
    await expect(whileOpen(context, work)).rejects.toThrow('no room');
    expect(order).toEqual(['kept', 'work', 'free']);
  });
});
