import type { ControlledEvaluateIndexOutput, ControlledEvaluateInputItem, Token } from 'node-llama-cpp';
import type { BranchSequence } from '../../../src/engine/llama/branches/branch-laps.js';

export type LogProb = (state: readonly number[], token: number) => number;

/** Position in the sequence, then the token: any shift shows. */
export const positional: LogProb = (state, token) => -(state.length - 1) - token / 1000;
/** Depends on every token before. */
export const contextual: LogProb = (state, token) =>
  -((state.reduce((sum, each, at) => sum + each * (at + 3), token * 7) % 101) + 1) / 10;

export interface Fake extends BranchSequence {
  /** Tokens of every call, filler included. */
  readonly calls: number[][];
}

/**
 * A sequence without a model, whose ln p follows from its tokens. With a `window` it drops what lies further back, as
 * a sliding-window cache does; what is gone reads as token 0.
 */
export function fakeSequence(
  logProb: LogProb,
  options: { window?: number; erases?: boolean; failsAt?: number; sum?: number } = {},
): Fake {
  let state: number[] = [];
  let start = 0;
  const calls: number[][] = [];
  return {
    calls,
    get nextTokenIndex() {
      return state.length;
    },
    get stateCellsStartIndex() {
      return start;
    },
    clearHistory: async () => {
      state = [];
      start = 0;
    },
    eraseContextTokenRanges: async ([range]) => {
      if (options.erases !== false) state = state.slice(0, range!.start);
    },
    controlledEvaluate: async (input: ControlledEvaluateInputItem[]) => {
      if (calls.length === options.failsAt) throw new Error('decode failed');
      const output: ControlledEvaluateIndexOutput[] = [];
      calls.push(input.map((item) => Number(Array.isArray(item) ? item[0] : item)));
      input.forEach((item, at) => {
        state.push(calls.at(-1)![at]!);
        const filter = Array.isArray(item) ? item[1].generateNext?.logits : undefined;
        if (typeof filter !== 'object') return;
        const seen = state.map((token, index) => (index < start ? 0 : token));
        const selected = 9999 as Token;
        const logits = new Map<Token, number>([[selected, 20]]);
        // ln p = logit - 20 - ln 1.05; the most probable token asked for, with ln p = -0.1, stays below the selected
        // one.
        for (const id of filter.filter.tokens ?? []) logits.set(id, logProb(seen, id) + 20 + Math.log(1.05));
        output[at] = { next: { token: selected, logits, totalLogitWeight: options.sum ?? 1.05 } };
      });
      if (options.window !== undefined) start = Math.max(start, state.length - options.window);
      return output;
    },
  };
}
