import { describe, expect, it } from 'vitest';
import { type NativeReader, readNatively } from '../../../src/engine/library/native-reader.js';
import { logitRequest } from '../../../src/engine/llama/read-logits.js';

/** A sampler as `keepSamplers` leaves it, where nothing but the greatest logit decides. */
const GREEDY = { drawing: { temperature: 0, uniform: () => 0 } };

function contextWith(reader: Partial<NativeReader>) {
  const native = { sampleToken: async (...asked: unknown[]) => ['the library', asked.length] as unknown };
  const refuse = () => Promise.reject(new Error('not asked for'));
  readNatively({ _ctx: native } as object, { read: refuse, draw: refuse, ...reader });
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
    const answer = await native.sampleToken(4, GREEDY, ...askedFor([7, 8]));
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
      expect(await native.sampleToken(4, GREEDY, ...others)).toEqual(['the library', 6]);
    }
    const warm = { drawing: { temperature: 0.5, uniform: () => 0.5 } };
    expect(await native.sampleToken(4, warm, ...askedFor([7]))).toEqual(['the library', 6]);
    expect(await native.sampleToken(4, {}, ...askedFor([7]))).toEqual(['the library', 6]);
    expect(await native.sampleToken(4, {})).toEqual(['the library', 2]);
  });
});
