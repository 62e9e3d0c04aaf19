import { describe, expect, it } from 'vitest';
import type { ReadyPrompt } from '../../../src/engine/encode/encoded-prompt.js';
import type { JobWave } from '../../../src/engine/rows/plan-jobs.js';
import { leastOf, slownessOfReplies, type WaveTime } from '../../../src/engine/trial/time-replies.js';
import { isFirst, workOf } from '../../../src/engine/trial/wave-kinds.js';
import { seededGenerator } from '../../../src/numeric/random/seeded-generator.js';

interface Asked {
  readonly tokens: number;
  readonly maxTokens: number;
  readonly form?: object | null;
}

const reply = ({ tokens, maxTokens, form = null }: Asked) =>
  ({
    kind: 'reply',
    id: 'q',
    tokens: new Uint32Array(tokens),
    longest: maxTokens,
    form,
    request: { maxTokens },
  }) as unknown as ReadyPrompt;

/** A wave of prompts, each with so many replies. */
const wave = (replies: readonly number[], asked: Asked): JobWave => ({
  rows: replies.flatMap((count) =>
    Array.from({ length: count }, (_, n) => ({
      job: 0,
      prompt: reply(asked),
      tokens: asked.maxTokens + (n === 0 ? asked.tokens : 0),
    })),
  ),
  shared: [],
});

/** What waves take where a prompt costs `prompt` a token, and a reply `start` and `token` for each of its own. */
const costs =
  ({ prompt, start, token }: Record<'prompt' | 'start' | 'token', number>, written: (limit: number) => number) =>
  (waves: readonly JobWave[]) => {
    const rows = waves.flatMap((each) => each.rows);
    const tokens = rows.reduce((sum, row) => sum + written(limitOf(row.prompt)), 0);
    const ms = prompt * workOf(waves) + start * rows.length + token * tokens;
    const prompts = rows.filter(isFirst).length;
    const time: WaveTime = {
      slowness: ms / workOf(waves),
      each: workOf(waves) / prompts,
      replies: rows.length / prompts,
      written: tokens / rows.length,
    };
    return { ms, time };
  };

function limitOf(prompt: ReadyPrompt): number {
  return prompt.kind === 'reply' ? prompt.request.maxTokens : 0;
}

/** What is told from the time of so many of the waves. */
async function toldOf(waves: readonly JobWave[], cost: ReturnType<typeof costs>, some = waves.length) {
  const evaluated: number[] = [];
  const slowness = await slownessOfReplies(waves, async (cut) => {
    evaluated.push(cut.reduce((sum, { rows }) => sum + rows.length, 0));
    return cost(cut.slice(0, some)).time;
  });
  return { ms: slowness * workOf(waves), evaluated };
}

describe('slownessOfReplies', () => {
  const FORM = {};
  it.each([
    ['free text', { tokens: 55, maxTokens: 48 }, (limit: number) => limit, [8, 8]],
    [
      'free text that ends before its limit',
      { tokens: 55, maxTokens: 48 },
      (limit: number) => Math.min(limit, 9),
      [8, 8],
    ],
    ['free text that ends at once', { tokens: 55, maxTokens: 48 }, () => 1, [8, 8, 16]],
    ['a single token', { tokens: 55, maxTokens: 1 }, (limit: number) => limit, [8, 16]],
    ['what a grammar holds', { tokens: 55, maxTokens: 30, form: FORM }, () => 13, [8, 16]],
  ])('tells the time of all replies of %s from a few', async (_, asked, written, cuts) => {
    const generator = seededGenerator(5);
    for (let round = 0; round < 50; round++) {
      const [prompt = 0, token = 0] = [generator.next(), generator.next()].map((n) => (n >>> 8) / 2 ** 24);
      const waves = [wave([5, 5, 5, 5], asked), wave([5, 5, 5, 5], asked)];
      const cost = costs({ prompt, start: 0, token }, written);
      const { ms, evaluated } = await toldOf(waves, cost);
      expect(ms).toBeCloseTo(cost(waves).ms, 9);
      expect(evaluated).toEqual(cuts);
    }
  });

  it('counts what a reply takes beside its tokens, where it tells one reply from two', async () => {
    const waves = [wave([5, 5, 5], { tokens: 20, maxTokens: 30, form: FORM })];
    const cost = costs({ prompt: 0.1, start: 3, token: 0.5 }, () => 13);
    expect((await toldOf(waves, cost)).ms).toBeCloseTo(cost(waves).ms, 9);
  });

  it('is of all replies where some prompts have fewer of them, and of one where none has more', async () => {
    const cost = costs({ prompt: 0.1, start: 0, token: 0.5 }, (limit) => limit);
    for (const asked of [
      { tokens: 20, maxTokens: 30 },
      { tokens: 20, maxTokens: 1 },
    ]) {
      const uneven = [wave([5, 1, 3], asked), wave([1, 1], asked)];
      expect((await toldOf(uneven, cost)).ms).toBeCloseTo(cost(uneven).ms, 9);
    }
    const single = [wave([1, 1], { tokens: 20, maxTokens: 30, form: FORM })];
    expect(await toldOf(single, cost)).toEqual({ ms: expect.closeTo(cost(single).ms, 9), evaluated: [2] });
  });

  it('is told from long prompts alone, whose replies take no longer than those to short ones', async () => {
    for (const form of [null, FORM]) {
      const waves = [90, 30, 20].map((tokens) => wave([5, 5], { tokens, maxTokens: 48, form }));
      const cost = costs({ prompt: 0.1, start: 0, token: 0.5 }, (limit) => limit);
      expect((await toldOf(waves, cost, 1)).ms).toBeCloseTo(cost(waves).ms, 9);
    }
  });

  it('is told from prompts with many replies alone where others have one', async () => {
    const waves = [
      wave([5, 5], { tokens: 20, maxTokens: 30, form: FORM }),
      wave([1, 1], { tokens: 20, maxTokens: 30, form: FORM }),
    ];
    const cost = costs({ prompt: 0.1, start: 3, token: 0.5 }, () => 13);
    expect((await toldOf(waves, cost, 1)).ms).toBeCloseTo(cost(waves).ms, 9);
  });

  it('takes the last replies to a prompt, with all its tokens: a greedy one stands before those that are drawn', async () => {
    const waves = [wave([3, 2], { tokens: 20, maxTokens: 30 })];
    const seeded = waves.map(({ rows, ...others }) => ({
      ...others,
      rows: rows.map((row, n) => ({ ...row, job: n })),
    }));
    const cuts: (readonly [job: number, tokens: number])[][] = [];
    await slownessOfReplies(seeded, async (cut) => {
      cuts.push(cut.flatMap(({ rows }) => rows.map(({ job, tokens }) => [job, tokens] as const)));
      return { slowness: 1, each: 20, replies: 1, written: 1 };
    });
    const last = [
      [2, 50],
      [4, 50],
    ];
    expect(cuts).toEqual([
      last,
      last,
      [
        [1, 50],
        [2, 30],
        [3, 50],
        [4, 30],
      ],
    ]);
  });

  it('is no less for more writing, whatever the clock says, and without end where nothing is evaluated', async () => {
    const waves = [wave([5], { tokens: 10, maxTokens: 48 })];
    const times = [
      { slowness: 3, each: 10, replies: 1, written: 1 },
      { slowness: 2, each: 10, replies: 1, written: 48 },
    ];
    expect(await slownessOfReplies(waves, async () => times.shift()!)).toBe(3);
    const never = { slowness: Number.POSITIVE_INFINITY, each: 1, replies: 1, written: 0 };
    expect(await slownessOfReplies(waves, async () => never)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('leastOf', () => {
  it('is one reply to each prompt: of free text a token, of what a grammar holds all', () => {
    const limits = (form: object | null) =>
      leastOf([wave([5, 2], { tokens: 10, maxTokens: 48, form })]).map(({ rows }) =>
        rows.map(({ prompt }) => limitOf(prompt)),
      );
    expect(limits(null)).toEqual([[1, 1]]);
    expect(limits({})).toEqual([[48, 48]]);
  });
});
