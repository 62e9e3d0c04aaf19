import { describe, expect, it } from 'vitest';
import type { ReadyPrompt } from '../../../src/engine/encode/encoded-prompt.js';
import type { JobWave } from '../../../src/engine/rows/plan-jobs.js';
import { wavesByKind, workOf } from '../../../src/engine/trial/wave-kinds.js';

const letter = (length: number) => ({ kind: 'ok', id: 'q', tokens: new Uint32Array(length) }) as unknown as ReadyPrompt;
const orders = (length: number) =>
  ({
    kind: 'rotations',
    id: 'q',
    tokens: new Uint32Array(length),
    tails: [{ tokens: [1, 2] }],
  }) as never as ReadyPrompt;
const reply = (maxTokens: number, form: object | null = null) =>
  ({
    kind: 'reply',
    id: 'q',
    tokens: new Uint32Array(10),
    longest: maxTokens,
    form,
    request: { maxTokens },
  }) as unknown as ReadyPrompt;
const wave = (shared: readonly number[], ...rows: (readonly [prompt: ReadyPrompt, tokens: number])[]): JobWave => ({
  rows: rows.map(([prompt, tokens]) => ({ job: 0, prompt, tokens })),
  shared,
});

describe('wavesByKind', () => {
  it('tells letters, letters with other orders, replies by limit and form, and what is kept apart', () => {
    const plain = [wave([], [letter(9), 9]), wave([], [letter(5), 5])];
    const few = [wave([1, 2], [letter(9), 9]), wave([1, 2], [letter(8), 8])];
    const joined = wave([], [letter(9), 9], [orders(9), 6]);
    const alone = wave([], [orders(9), 11]);
    const replies = [wave([], [reply(8), 18]), wave([], [reply(90), 100]), wave([], [reply(90, {}), 100])];
    expect(wavesByKind([alone, few[0]!, plain[0]!, joined, ...replies, plain[1]!, few[1]!])).toEqual([
      [few, plain],
      [[joined]],
      ...replies.map((each) => [[each]]),
      [[alone]],
    ]);
    expect(wavesByKind([])).toEqual([]);
  });
});

describe('workOf', () => {
  it('is the tokens of each sequence without those that the context keeps, of replies those of their prompts', () => {
    expect(workOf([wave([], [letter(9), 9]), wave([1, 2], [letter(9), 9], [letter(8), 8])])).toBe(9 + 7 + 6);
    expect(workOf([wave([1, 2], [reply(30), 40], [reply(30), 30])])).toBe(8);
    expect(workOf([wave([1, 2], [letter(9), 9], [orders(9), 6])])).toBe(7 + 6);
  });
});
