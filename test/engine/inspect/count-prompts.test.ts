import { describe, expect, it } from 'vitest';
import type { ModelFraming } from '../../../src/engine/frame/frame-model.js';
import { RAW_FRAME } from '../../../src/engine/frame/prompt-frame.js';
import { countPrompts, type KnownCounts } from '../../../src/engine/inspect/count-prompts.js';
import { type FromInspector, type InspectorMemory, inspectModel } from '../../../src/engine/inspect/inspect-model.js';
import type { Backend, LoadedModel } from '../../../src/engine/protocol/backend.js';
import type { WirePrompt } from '../../../src/engine/protocol/protocol.js';
import { backend as stub } from '../stub-backend.js';
import { PLAN } from '../stub-task.js';

const framing = (bosId: number | null): ModelFraming => ({
  frame: RAW_FRAME,
  bosId,
  bos: { add: bosId !== null, reason: '' },
});

/** A vocabulary of one token per character that knows how often it was asked. */
function vocabulary(key?: string) {
  let calls = 0;
  const model = {
    tokenize: (text: string) => {
      calls++;
      return Array.from(text, (character) => character.codePointAt(0)!);
    },
    info: { trainContextSize: 4_096 },
    ...(key !== undefined && { tokenizerKey: () => key }),
  } as unknown as LoadedModel;
  return { model, calls: () => calls };
}

const letter: WirePrompt = {
  id: 'a',
  text: 'x'.repeat(70),
  mode: 'letter',
  continuations: ['A', 'B'],
  answerPrefix: '',
};
const reply = (sample: number): WirePrompt => ({
  id: `a#${sample}`,
  text: 'y'.repeat(80),
  mode: 'reply',
  continuations: [],
  answerPrefix: null,
  reply: {
    example: 'a',
    sample,
    seed: sample,
    temperature: 0.7,
    maxTokens: 64,
    form: null,
    options: [],
  },
});
const rotations: WirePrompt = {
  ...letter,
  mode: 'rotations',
  rotations: [
    { text: `${letter.text}ab`, continuations: ['A', 'B'] },
    { text: `${letter.text}ba`, continuations: ['B', 'A'] },
  ],
};

const asked = (model: LoadedModel, bosId: number | null) => ({
  plan: { contextSize: null },
  model,
  framing: framing(bosId),
  onProgress: () => {},
});

describe('countPrompts', () => {
  it('counts what is evaluated and what a sequence must hold: options of texts, orders of options, room for a reply', async () => {
    const { model } = vocabulary('v');
    const texts: WirePrompt = { ...letter, mode: 'text', continuations: ['1234', '12'] };
    const sets = [[letter], [texts], [rotations], [reply(1), reply(2)]].map((prompts, id) => ({ id, prompts }));
    expect(await countPrompts(sets, asked(model, null), new Map())).toEqual([
      { longest: 70, shortest: 70, tokens: 70, refused: 0, firstRefusal: null },
      { longest: 74, shortest: 70, tokens: 76, refused: 0, firstRefusal: null },
      { longest: 72, shortest: 70, tokens: 74, refused: 0, firstRefusal: null },
      { longest: 144, shortest: 80, tokens: 80, refused: 0, firstRefusal: null },
    ]);
  });

  it('tokenises a set once for all models of one vocabulary and framing', async () => {
    const known: KnownCounts = new Map();
    const sets = [{ id: 0, prompts: [letter, { ...letter, id: 'b', continuations: ['A', 'A'] }] }];
    const [first, second, other, nameless] = [vocabulary('v'), vocabulary('v'), vocabulary('w'), vocabulary()];
    const counts = await countPrompts(sets, asked(first.model, 1), known);
    expect(counts[0]).toMatchObject({ tokens: 71, refused: 1, firstRefusal: expect.stringMatching(/^b: /) });
    expect(await countPrompts(sets, asked(second.model, 1), known)).toEqual(counts);
    expect([first.calls() > 0, second.calls()]).toEqual([true, 0]);
    expect((await countPrompts(sets, asked(second.model, null), known))[0]!.tokens).toBe(70);
    await countPrompts(sets, asked(other.model, 1), known);
    await countPrompts(sets, asked(nameless.model, 1), known);
    expect([other.calls(), nameless.calls()]).toEqual([first.calls(), first.calls()]);
  });

  it('refuses what can never fit, without tokenising it, for each model by what it holds', async () => {
    const known: KnownCounts = new Map();
    const sets = [{ id: 0, prompts: [letter, { ...letter, id: 'b', text: 'a'.repeat(70_000) }] }];
    const small = { ...vocabulary('v').model, tokenReach: () => [10, 1, 1, 1] as const };
    const tokenize = (text: string) => (text.length > 60_000 ? expect.fail('tokenised') : small.tokenize(text));
    const [counts] = await countPrompts(sets, asked({ ...small, tokenize }, null), known);
    const reason =
      'the prompt of 70000 characters has 7000 tokens or more, but a sequence holds 4096; it was not tokenised';
    expect(counts).toMatchObject({ longest: 70, refused: 1, firstRefusal: `b: ${reason}` });
    const large = { ...small, info: { ...small.info, trainContextSize: 80_000 } };
    expect((await countPrompts(sets, asked(large, null), known))[0]).toMatchObject({ longest: 70_000, refused: 0 });
    const declared = { ...asked(large, null), plan: { contextSize: 2_048 } };
    expect((await countPrompts(sets, declared, known))[0]).toMatchObject({ refused: 1 });
  });
});

describe('inspectModel', () => {
  it('tokenises once for models of one vocabulary that are asked the same, and sends each its prompts', async () => {
    let calls = 0;
    const backend: Backend = {
      ...stub,
      load: async (request) => {
        const model = await stub.load(request);
        const tokenize = (text: string) => {
          calls++;
          return model.tokenize(text);
        };
        return { ...model, tokenize, tokenizerKey: () => (request.modelPath === 'other.gguf' ? 'w' : 'v') };
      },
    };
    const memory: InspectorMemory = { sets: new Map(), counts: new Map() };
    const prompts = Array.from({ length: 700 }, (_, n) => ({ ...letter, id: `q${n}`, text: `${letter.text} ${n}` }));
    const sent = async (modelPath: string) => {
      const messages: FromInspector[] = [];
      const sets = memory.sets.size === 0 ? [{ id: 0, prompts }] : [];
      const request = { plan: { ...PLAN, modelPath }, sets, jobs: [0], detail: 'lines' } as const;
      await inspectModel(backend, request, memory, (message) => messages.push(message));
      const last = messages.at(-1);
      const told = messages
        .flatMap((message) => (message.kind === 'lines' ? message.text.trim().split('\n') : []))
        .map((line) => JSON.parse(line));
      return { told, counts: last?.kind === 'inspected' ? last.model.counts : last };
    };
    const first = await sent('one.gguf');
    const before = calls;
    expect(first.told).toHaveLength(700);
    expect(first.told[1]).toMatchObject({ id: 'q1', mode: 'letter', refused: null });
    expect(first.counts).toMatchObject([{ refused: 0, longest: 75 }]);
    expect(await sent('two.gguf')).toEqual(first);
    // What looks into spacing asks for a few tokens of its own.
    expect(calls - before).toBeLessThan(100);
    await sent('other.gguf');
    expect(calls - before).toBeGreaterThan(700);
  });
});
