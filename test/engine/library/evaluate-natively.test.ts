import type { LlamaContext, LlamaContextSequence } from 'node-llama-cpp';
import { describe, expect, it } from 'vitest';
import { nativeEvaluator } from '../../../src/engine/library/evaluate-natively.js';
import type { NativeReader } from '../../../src/engine/library/native-reader.js';

const native = {};
const context = { _ctx: native, batchSize: 6 } as unknown as LlamaContext;
const sequences = [7, 9].map((id) => ({ _sequenceId: id })) as unknown as LlamaContextSequence[];
const rows = [
  { tokens: [1, 2, 3, 4], optionIds: [20, 21] },
  { tokens: [1, 2, 5], optionIds: [20] },
];
const refuse = () => Promise.reject(new Error('not asked for'));

function evaluatorWith(evaluate: Partial<NativeReader>['evaluate']) {
  const reader: NativeReader = { read: refuse, write: refuse, ...(evaluate && { evaluate }) };
  return nativeEvaluator(context, sequences, { reader, turns: 3 });
}

describe('nativeEvaluator', () => {
  it('hands row n over for sequence n, without the tokens that its sequence holds', async () => {
    const asked: unknown[] = [];
    const evaluate = evaluatorWith(async (...all) => {
      asked.push(all);
      return [Float64Array.of(4, 1.5, -1, -2, 3), Float64Array.of(6, 2.5, 0.5, 8)];
    });
    const evaluations = await evaluate?.(rows, 2);
    const prompts = [
      { sequence: 7, tokens: [3, 4], wanted: [20, 21] },
      { sequence: 9, tokens: [5], wanted: [20] },
    ];
    expect(asked).toEqual([[native, 2, 3, prompts]]);
    expect(evaluations).toEqual([
      { kind: 'logits', logits: [-1, -2], maxLogit: 3, totalWeight: 1.5 },
      { kind: 'logits', logits: [0.5], maxLogit: 8, totalWeight: 2.5 },
    ]);
  });

  it('says of every row of a pass that fails why', async () => {
    const evaluate = evaluatorWith(() => Promise.reject(new Error('no room')));
    const error = { kind: 'error', message: 'no room' };
    expect(await evaluate?.(rows, 1)).toEqual([error, error]);
  });

  it('leaves what one batch does not hold to the library, filled up to the longest row', () => {
    const evaluate = evaluatorWith(refuse);
    expect(evaluate?.(rows, 0)).toBeNull();
    expect(evaluate?.([{ tokens: [1, 2, 3, 4, 5, 6, 7], optionIds: [20] }], 0)).toBeNull();
  });

  it('is none where the reader was compiled before it could evaluate', () => {
    expect(evaluatorWith(undefined)).toBeNull();
  });
});
