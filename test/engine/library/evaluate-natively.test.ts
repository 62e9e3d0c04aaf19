import type { LlamaContext, LlamaContextSequence } from 'node-llama-cpp';
import { describe, expect, it } from 'vitest';
import { type NativePart, nativeEvaluator, packPasses } from '../../../src/engine/library/evaluate-natively.js';
import type { NativeReader } from '../../../src/engine/library/native-reader.js';

const native = {};
let guarded = 0;
const _backendContextDisposeGuard = {
  createPreventDisposalHandle: () => {
    guarded++;
    return { dispose: () => void guarded-- };
  },
};
const context = { _ctx: native, batchSize: 6, _backendContextDisposeGuard } as unknown as LlamaContext;
const sequenceOf = (id: number, held: number) =>
  ({ _sequenceId: id, nextTokenIndex: held }) as unknown as LlamaContextSequence;
const refuse = () => Promise.reject(new Error('not asked for'));
const unrestored = () => expect.unreachable('nothing was touched');

function evaluatorWith(evaluatePasses: Partial<NativeReader>['evaluatePasses']) {
  const reader: NativeReader = { read: refuse, write: refuse, ...(evaluatePasses && { evaluatePasses }) };
  return nativeEvaluator(context, { reader, turns: 3, threads: 4 });
}

/** A stem of two tokens that sequence 7 goes on from twice, beside a shorter row in sequence 9. */
function passes() {
  const taken: unknown[] = [];
  const [first, second] = [sequenceOf(7, 2), sequenceOf(9, 2)];
  const reading = (name: string, at: number, ids: readonly number[]) => {
    return { at, ids, take: (found: object) => void taken.push({ name, ...found }) };
  };
  const all: NativePart[][] = [
    [
      {
        sequence: first,
        from: 2,
        tokens: [3, 4],
        length: 2,
        readings: [reading('a', 0, [20, 21]), reading('b', 1, [])],
      },
      { sequence: second, from: 2, tokens: [5], length: 2, readings: [reading('c', 0, [22])] },
    ],
    [{ sequence: first, from: 3, tokens: [6, 7], length: 2, readings: [reading('d', 1, [20])] }],
  ];
  return { all, taken };
}

describe('nativeEvaluator', () => {
  it('hands all passes over in one list, and each reading to who takes it', async () => {
    const asked: unknown[] = [];
    const evaluate = evaluatorWith(async (...given) => {
      asked.push([...given, guarded]);
      return Float64Array.of(4, 1.5, -1, -2, 3, 5, 2.5, 9, 6, 3.5, 0.5, 8, 7, 4.5, 0.25, 1);
    });
    const { all, taken } = passes();
    expect(await evaluate?.(all, unrestored)).toBe(true);
    const list = [
      ...[2, 2],
      ...[7, 2, 2, 2, 3, 4, 2, 0, 2, 20, 21, 1, 0],
      ...[9, 2, 2, 1, 5, 1, 0, 1, 22],
      ...[1, 7, 3, 2, 2, 6, 7, 1, 1, 1, 20],
    ];
    // The context is held open meanwhile, and no longer.
    expect([asked, guarded]).toEqual([[[native, Int32Array.from(list), 3, 4, 1]], 0]);
    expect(packPasses(all)).toEqual(Int32Array.from(list));
    expect(taken).toEqual([
      { name: 'a', logits: [-1, -2], maxLogit: 3, totalWeight: 1.5 },
      { name: 'b', logits: [], maxLogit: 9, totalWeight: 2.5 },
      { name: 'c', logits: [0.5], maxLogit: 8, totalWeight: 3.5 },
      { name: 'd', logits: [0.25], maxLogit: 1, totalWeight: 4.5 },
    ]);
  });

  it('leaves to the library what fails, its sequences as they were, and does not try again', async () => {
    let [asked, restored] = [0, 0];
    const evaluate = evaluatorWith(() => {
      asked++;
      return Promise.reject(new Error('no room'));
    });
    const { all, taken } = passes();
    const restore = async () => void restored++;
    expect([await evaluate?.(all, restore), await evaluate?.(all, restore)]).toEqual([false, false]);
    expect([asked, restored, guarded, taken]).toEqual([1, 1, 0, []]);
  });

  it('leaves to the library what one batch does not hold, filled up, and what has no tokens', async () => {
    const evaluate = evaluatorWith(refuse);
    const part = { sequence: sequenceOf(7, 0), from: 0, tokens: [1, 2], length: 7, readings: [] };
    expect(await evaluate?.([[part]], unrestored)).toBe(false);
    expect(await evaluate?.([[{ ...part, length: 0, tokens: [] }]], unrestored)).toBe(false);
    expect(await evaluate?.([[]], unrestored)).toBe(false);
  });

  it('leaves to the library a sequence that holds other tokens than the first of its parts goes on from', async () => {
    const evaluate = evaluatorWith(refuse);
    const part = { sequence: sequenceOf(7, 3), from: 2, tokens: [1], length: 1, readings: [] };
    expect(await evaluate?.([[part]], unrestored)).toBe(false);
  });

  it('is none where the reader was compiled before it could evaluate', () => {
    expect(evaluatorWith(undefined)).toBeNull();
  });
});
