import { describe, expect, it } from 'vitest';
import { chunkOrder } from '../../../src/engine/encode/chunk-order.js';
import { encodeJobs, promptEncoder, type Siblings } from '../../../src/engine/encode/encode-jobs.js';
import { packPrompts, unpackPrompts } from '../../../src/engine/encode/packed-prompts.js';
import type { ModelFraming } from '../../../src/engine/frame/frame-model.js';
import { RAW_FRAME } from '../../../src/engine/frame/prompt-frame.js';
import type { WirePrompt } from '../../../src/engine/protocol/protocol.js';

const tokenize = (text: string) => Array.from(text, (character) => character.charCodeAt(0));
const framing: ModelFraming = { frame: RAW_FRAME, bosId: null, bos: { add: false, reason: 'the test adds none' } };
const base = { answerPrefix: '', continuations: ['A', 'B'] };
const PROMPTS: readonly WirePrompt[] = [
  { ...base, id: 'letter', text: 'Ask:', mode: 'letter' },
  { ...base, id: 'refused', text: 'Ask:', mode: 'letter', continuations: ['A', ''] },
  {
    ...base,
    id: 'text',
    text: 'Ask:',
    mode: 'text',
    continuations: ['yes', 'né'],
    textScore: { normalize: 'per-char' },
  },
  { ...base, id: 'pmi', text: 'Ask:', mode: 'text', textScore: { normalize: 'pmi', pmiPrompt: 'Answer:' } },
  {
    ...base,
    id: 'rotations',
    text: '',
    mode: 'rotations',
    rotations: ['Ask x, yy:', 'Ask yy, x!:'].map((text) => ({ text, continuations: ['A', 'B'] })),
  },
  {
    ...base,
    id: 'reply',
    text: 'Ask:',
    mode: 'reply',
    reply: { example: 'q', sample: 0, seed: 1, temperature: 0, maxTokens: 9, form: null, options: [] },
  },
  { ...base, id: 'last', text: 'Ask again:', mode: 'letter' },
];
const encode = promptEncoder(framing, { tokenize });

describe('packed prompts', () => {
  const encoded = PROMPTS.map(encode);
  const packed = packPrompts(encoded);

  it('are those that were packed, prompts of every mode and refusals', () => {
    expect(encoded.map(({ kind }) => kind)).toEqual(['ok', 'refused', 'text', 'text', 'rotations', 'reply', 'ok']);
    const made: string[] = [];
    const again = unpackPrompts(packed, PROMPTS, (prompt) => {
      made.push(prompt.id);
      return encode(prompt);
    });
    expect(again).toEqual(encoded);
    expect(made).toEqual(['refused', 'reply']);
  });

  it('are refused when the numbers end too soon, go on, or are no prompts', () => {
    for (let length = 0; length < packed.length; length++)
      expect(unpackPrompts(packed.subarray(0, length), PROMPTS, encode)).toBeNull();
    expect(unpackPrompts(Uint32Array.from([...packed, 0]), PROMPTS, encode)).toBeNull();
    expect(unpackPrompts(Uint32Array.from([9]), PROMPTS.slice(0, 1), encode)).toBeNull();
    expect(unpackPrompts(Uint32Array.from([3, 1, 65, 1, 1, 65]), PROMPTS.slice(0, 1), encode)).toBeNull();
    expect(unpackPrompts(Uint32Array.from([2, 0, 2 ** 32 - 1]), PROMPTS.slice(0, 1), encode)).toBeNull();
  });
});

describe('chunkOrder', () => {
  it('begins with the first chunk and the own part, then meets the others from their ends', () => {
    expect(chunkOrder(6, { index: 0, count: 1 })).toEqual([0, 1, 2, 3, 4, 5]);
    expect(chunkOrder(6, { index: 0, count: 2 })).toEqual([0, 1, 2, 5, 4, 3]);
    expect(chunkOrder(6, { index: 1, count: 2 })).toEqual([0, 3, 4, 5, 2, 1]);
    expect(chunkOrder(6, { index: 1, count: 3 })).toEqual([0, 2, 3, 1, 5, 4]);
    expect(chunkOrder(0, { index: 1, count: 2 })).toEqual([]);
  });

  it('has every chunk once, whoever makes it', () => {
    for (let count = 1; count <= 8; count++)
      for (let index = 0; index < count; index++)
        for (const chunks of [1, 2, 7, 40])
          expect(chunkOrder(chunks, { index, count }).toSorted((a, b) => a - b)).toEqual([...Array(chunks).keys()]);
  });
});

describe('encodeJobs beside siblings', () => {
  // 9 chunks over two jobs, none of which ends where a chunk does.
  const jobs = [330, 530].map((rows, job) =>
    Array.from({ length: rows }, (_, n) => ({ ...PROMPTS[n % PROMPTS.length]!, id: `${job}-${n}`, text: `Ask ${n}:` })),
  );
  const CHUNKS = 9;

  /** Children of which those in `silent` tell nothing, with the chunks that each of them made. */
  async function together(count: number, silent: readonly number[] = []) {
    const made: number[][] = Array.from({ length: count }, () => []);
    const known = made.map(() => new Map<number, Uint32Array>());
    const siblings = made.map(
      (own, index): Siblings => ({
        share: { index, count },
        take: (chunk) => known[index]?.get(chunk),
        give: (chunk, packed) => {
          own.push(chunk);
          if (silent.includes(index)) return;
          for (const [other, tokens] of known.entries()) if (other !== index) tokens.set(chunk, packed);
        },
      }),
    );
    const all = await Promise.all(siblings.map((each) => encodeJobs(jobs, [], framing, { tokenize, siblings: each })));
    return { all, made };
  }

  it('each makes its part and has the prompts of one that makes all', async () => {
    const alone = await encodeJobs(jobs, [], framing, { tokenize });
    for (const count of [1, 3]) {
      const { all, made } = await together(count);
      for (const encoded of all) expect(encoded).toEqual(alone);
      // All make the first chunk, and meet others in at most one.
      for (const own of made) expect(own.length).toBeLessThanOrEqual(CHUNKS / count + 2);
      expect(new Set(made.flat()).size).toBe(CHUNKS);
    }
  });

  it('nobody waits for one that tells nothing, and wrong numbers are made anew', async () => {
    const alone = await encodeJobs(jobs, [], framing, { tokenize });
    const { all, made } = await together(2, [1]);
    for (const encoded of all) expect(encoded).toEqual(alone);
    expect(made[0]).toHaveLength(CHUNKS);
    const given: number[] = [];
    const siblings: Siblings = {
      share: { index: 0, count: 2 },
      take: () => Uint32Array.of(1, 2, 3),
      give: (chunk) => given.push(chunk),
    };
    expect(await encodeJobs(jobs, [], framing, { tokenize, siblings })).toEqual(alone);
    expect(given).toHaveLength(CHUNKS);
  });
});
