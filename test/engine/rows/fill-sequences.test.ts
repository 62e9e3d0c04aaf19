import { describe, expect, it } from 'vitest';
import type { EncodedPrompt } from '../../../src/engine/encode/encoded-prompt.js';
import type { EvaluationContext } from '../../../src/engine/protocol/backend.js';
import { planJobs } from '../../../src/engine/rows/plan-jobs.js';

/** Sizes of the waves that 100 prompts of 200 tokens, all but `kept` of them their own, are put into. */
function wavesOf(context: Partial<EvaluationContext>, kind: 'text' | 'ok', kept = 0): number[] {
  const tokens = Uint32Array.from({ length: 200 }, (_, n) => n);
  const prompt = { kind, tokens, optionIds: [1], continuations: [[1], [2, 3]], baseline: null };
  const prompts = Array.from({ length: 100 }, (_, n) => ({ ...prompt, id: `${n}` }) as unknown as EncodedPrompt);
  const encoded = { jobs: [prompts], shared: [Array.from(tokens.slice(0, kept))], longest: 201 };
  const contexts = [{ sequences: 64, batchSize: 2048, ...context } as EvaluationContext] as const;
  return planJobs({ encoded, contexts, trainContextSize: 4096 }, 300).waves.map(({ rows }) => rows.length);
}

describe('waves of prompts with branches', () => {
  it('fill all sequences on a card', () => {
    expect(wavesOf({ fills: true }, 'text')).toEqual([64, 36]);
  });

  it('are what one pass holds on a CPU, and letters are everywhere', () => {
    const onePass = [10, 10, 10, 10, 10, 10, 10, 10, 10, 10];
    expect(wavesOf({}, 'text')).toEqual(onePass);
    expect(wavesOf({ fills: true }, 'ok')).toEqual(onePass);
  });

  it('are not larger than kept tokens are worth, which each sequence evaluates anew', () => {
    // 100 x 101 tokens of their own: one pass holds 20 rows, and more would cost 100 kept tokens each.
    expect(wavesOf({ fills: true }, 'text', 100)).toEqual([20, 20, 20, 20, 20]);
  });
});
