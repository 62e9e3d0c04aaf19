import { describe, expect, it } from 'vitest';
import { REPLY_FORM } from '../../../src/datasets/prompts/render-elicitation.js';
import { encodeJobs } from '../../../src/engine/encode/encode-jobs.js';
import { encodeRotations, orderNumber } from '../../../src/engine/encode/encode-rotations.js';
import type { EncodedPrompt, ReadyPrompt } from '../../../src/engine/encode/encoded-prompt.js';
import { allTokens, cellsOf, firstPassTokens, laterPassTokens } from '../../../src/engine/encode/prompt-size.js';
import { RAW_FRAME } from '../../../src/engine/frame/prompt-frame.js';
import type { WirePrompt } from '../../../src/engine/protocol/protocol.js';

/** One token a character. */
const tokenize = (text: string) => Array.from(text, (character) => character.charCodeAt(0));
const spell = (tokens: Iterable<number>) => String.fromCharCode(...tokens);
const framing = { frame: RAW_FRAME, bosId: null, bos: { add: false, source: 'test' } } as unknown as Parameters<
  typeof encodeJobs
>[2];
const LETTERS = ['A', 'B'];
const base = { id: 'q', answerPrefix: '', continuations: LETTERS };
const letter: WirePrompt = { ...base, text: 'Ask:', mode: 'letter' };
const text: WirePrompt = { ...base, text: 'Ask:', mode: 'text', continuations: ['yes', 'né'] };
const pmi: WirePrompt = { ...text, textScore: { normalize: 'pmi', pmiPrompt: 'Answer:' } };
const reply: WirePrompt = {
  ...base,
  text: 'Ask:',
  mode: 'reply',
  reply: { example: 'q', sample: 0, seed: 1, temperature: 0, maxTokens: 9, form: null, options: [] },
};
const rotations: WirePrompt = {
  ...base,
  text: '',
  mode: 'rotations',
  rotations: [
    { text: 'Ask x, yy:', continuations: LETTERS },
    { text: 'Ask yy, x!:', continuations: LETTERS },
  ] as NonNullable<WirePrompt['rotations']>,
};

async function encoded(prompt: WirePrompt): Promise<EncodedPrompt> {
  const { jobs } = await encodeJobs([[prompt]], [], framing, { tokenize });
  return jobs[0]![0]!;
}
const ready = async (prompt: WirePrompt) => {
  const result = await encoded(prompt);
  if (result.kind === 'refused') throw new Error(result.reason);
  return result;
};
const sizes = (prompt: ReadyPrompt) => [cellsOf, firstPassTokens, laterPassTokens, allTokens].map((of) => of(prompt));

describe('encodeJobs', () => {
  it('encodes a letter prompt as its tokens and one token for each option', async () => {
    const prompt = await ready(letter);
    expect(prompt).toEqual({ kind: 'ok', id: 'q', tokens: Uint32Array.from(tokenize('Ask:')), optionIds: [65, 66] });
    expect(sizes(prompt)).toEqual([4, 4, 0, 4]);
  });

  it('encodes whole texts with their characters, and for pmi again after its prompt', async () => {
    const prompt = await ready(text);
    const texts = [tokenize('yes'), tokenize('né')];
    expect(prompt).toMatchObject({ kind: 'text', normalize: 'sum', continuations: texts, characters: [3, 2] });
    expect(prompt).toMatchObject({ tokens: Uint32Array.from(tokenize('Ask:')), baseline: null });
    // The last token of a text is read, not evaluated.
    expect(sizes(prompt)).toEqual([7, 6, 0, 9]);
    const both = await ready(pmi);
    expect(both).toMatchObject({ normalize: 'pmi', baseline: { tokens: tokenize('Answer:'), continuations: texts } });
    expect(sizes(both)).toEqual([10, 6, 0, 9]);
  });

  it('encodes the orders of the options as one stem and what follows it in each', async () => {
    const prompt = await ready(rotations);
    if (prompt.kind !== 'rotations') throw new Error(prompt.kind);
    expect([prompt.id, spell(prompt.tokens)]).toEqual(['q', 'Ask ']);
    expect(prompt.tails.map(({ tokens }) => spell(tokens))).toEqual(['x, yy:', 'yy, x!:']);
    expect(prompt.tails.map(({ optionIds }) => optionIds)).toEqual([
      [65, 66],
      [65, 66],
    ]);
    expect(sizes(prompt)).toEqual([11, 10, 7, 17]);
    expect(laterPassTokens({ ...prompt, tails: [prompt.tails[0]] })).toBe(0);
  });

  it('leaves each order a token of its own although one begins the other', () => {
    const orders = ['Ask', 'Ask!'].map((each) => ({ text: each, continuations: LETTERS }));
    const result = encodeRotations({ ...rotations, rotations: orders }, framing, tokenize);
    if (result.kind === 'refused') throw new Error(result.reason);
    expect([spell(result.tokens), ...result.tails.map(({ tokens }) => spell(tokens))]).toEqual(['As', 'k', 'k!']);
  });

  it('encodes a prompt that is replied to, with room for the longest reply', async () => {
    const prompt = await ready(reply);
    expect(prompt).toMatchObject({ kind: 'reply', tokens: Uint32Array.from(tokenize('Ask:')), form: null, longest: 9 });
    expect(sizes(prompt)).toEqual([13, 4, 0, 13]);
    const form = await ready({ ...reply, reply: { ...reply.reply!, form: REPLY_FORM } });
    expect(form).toMatchObject({ longest: '\n{"answer": "B", "confidence": 100}'.length });
  });

  it.each<[string, WirePrompt, string]>([
    ['a letter prompt without a label', { ...letter, continuations: ['A', ''] }, 'option 2 has an empty label'],
    ['a text that is empty', { ...text, continuations: ['yes', ' '] }, 'option 2 has an empty text'],
    [
      'an empty prompt of pmi',
      { ...pmi, textScore: { normalize: 'pmi', pmiPrompt: '' } },
      'after the pmi prompt: the prompt has no token to score after',
    ],
    ['no rotation', { ...rotations, rotations: [] }, 'the prompt has no rotation'],
    [
      'rotations that part at once',
      { ...rotations, rotations: ['a:', 'b:'].map((each) => ({ text: each, continuations: LETTERS })) },
      'the rotations have no first token in common',
    ],
    [
      'a rotation whose option is empty, by the number of its order',
      {
        ...rotations,
        rotations: [
          { text: 'Ask:', continuations: ['A', 'B', 'C'] },
          { text: 'Ask:', continuations: ['A', '', 'C'] },
        ],
      },
      'rotation 3: option 2 has an empty label',
    ],
    ['a reply without its request', { ...base, text: 'Ask:', mode: 'reply' }, 'the prompt does not say how to reply'],
  ])('refuses %s with its id', async (_, prompt, reason) => {
    expect(await encoded(prompt)).toEqual({ kind: 'refused', id: 'q', reason });
  });

  it('keeps jobs apart, finds the longest prompt that is not refused and what the prompts of a job share', async () => {
    const [long, other] = ['a', 'b'].map((end) => ({ ...letter, text: `${'x'.repeat(60)}${end}` }));
    const refused = { ...letter, text: 'y'.repeat(99), continuations: [''] };
    const result = await encodeJobs(
      [[letter, refused], [], [long!, other!]],
      [undefined, [], [long!, other!]],
      framing,
      {
        tokenize,
      },
    );
    expect(result.jobs.map((job) => job.map(({ kind }) => kind))).toEqual([['ok', 'refused'], [], ['ok', 'ok']]);
    expect([result.longest, result.shared.map((tokens) => tokens.length)]).toEqual([61, [0, 0, 58]]);
    expect((await encodeJobs([], [], framing, { tokenize })).longest).toBe(1);
  });

  it('says after every 500 prompts of all jobs how many are done, and tokenises what is short once', async () => {
    const seen: number[] = [];
    const texts: string[] = [];
    const counting = (each: string) => {
      texts.push(each);
      return tokenize(each);
    };
    const prompts = Array.from({ length: 700 }, () => letter);
    await encodeJobs([prompts, prompts], [], framing, { tokenize: counting, onProgress: (done) => seen.push(done) });
    expect(seen).toEqual([500, 1000]);
    expect(texts.sort()).toEqual(['Ask:A', 'Ask:B']);
    await encodeJobs([prompts.slice(0, 3).map((each) => ({ ...each, text: 'z'.repeat(64) }))], [], framing, {
      tokenize: counting,
    });
    expect(texts).toHaveLength(2 + 6);
  });
});

it('the number of an order counts from the last of all K', () => {
  expect([orderNumber(0, 4, 4), orderNumber(3, 4, 4), orderNumber(0, 1, 4), orderNumber(1, 2, 3)]).toEqual([
    1, 4, 4, 3,
  ]);
});
