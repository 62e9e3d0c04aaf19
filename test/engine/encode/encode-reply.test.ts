import { describe, expect, it } from 'vitest';
import { REPLY_FORM } from '../../../src/datasets/prompts/render-elicitation.js';
import { type EncodedReply, replyEncoder } from '../../../src/engine/encode/encode-reply.js';
import { RAW_FRAME } from '../../../src/engine/frame/prompt-frame.js';
import type { WirePrompt } from '../../../src/engine/protocol/protocol.js';
import type { TokenTree } from '../../../src/engine/protocol/token-tree.js';

/** One token per character, but for the given pieces, longest first. */
function tokenizer(pieces: readonly string[]) {
  const names: string[] = [];
  const idOf = (piece: string) => (names.includes(piece) ? names.indexOf(piece) : names.push(piece) - 1);
  const tokenize = (text: string) => {
    const ids: number[] = [];
    for (let at = 0; at < text.length; ) {
      const piece = pieces.find((each) => text.startsWith(each, at)) ?? text[at]!;
      ids.push(idOf(piece));
      at += piece.length;
    }
    return ids;
  };
  return { tokenize, spell: (tokens: Iterable<number>) => Array.from(tokens, (id) => names[id]!) };
}

const ask = (text: string, labels = ['A', 'B'], form: typeof REPLY_FORM | null = REPLY_FORM): WirePrompt => ({
  id: 'q#1',
  text,
  mode: 'reply',
  continuations: labels,
  answerPrefix: null,
  reply: { example: 'q', sample: 1, seed: 1, temperature: 0, maxTokens: 64, form, options: [] },
});
const textsOf = ({ next, text }: TokenTree): string[] => (text === null ? [...next.values()].flatMap(textsOf) : [text]);
const encode = (prompt: WirePrompt, pieces: readonly string[] = []) => {
  const { tokenize, spell } = tokenizer(pieces);
  const encoded = replyEncoder({ frame: RAW_FRAME, bosId: null }, tokenize)(prompt) as EncodedReply;
  return { encoded, spell };
};

describe('replyEncoder', () => {
  it('allows every label with every whole number from 0 to 100, after nothing, a space or a line break', () => {
    const { encoded } = encode(ask('Question\nReply:'));
    const texts = textsOf(encoded.form!);
    expect(texts).toHaveLength(3 * 2 * 101);
    expect(new Set(texts).size).toBe(texts.length);
    for (const text of texts)
      expect(JSON.parse(text)).toEqual({ answer: expect.any(String), confidence: expect.any(Number) });
    expect(texts).toContain('\n{"answer": "B", "confidence": 100}');
    expect(encoded.longest).toBe('\n{"answer": "B", "confidence": 100}'.length);
  });

  it('finds tokens in their place: numbers in one piece, a space with what follows it', () => {
    const { encoded, spell } = encode(ask('Q\nReply:'), [
      ' {"',
      '", "confidence": ',
      ...Array.from({ length: 91 }, (_, n) => String(100 - n)),
    ]);
    expect(spell(encoded.form!.next.keys())).toEqual(['{', ' {"', '\n']);
    let node = encoded.form!;
    for (let steps = 0; node.next.size !== 101; steps++) {
      expect(steps).toBeLessThan(30);
      node = [...node.next.values()][0]!;
    }
  });

  it('leaves out beginnings that would change the tokens of the prompt', () => {
    const { encoded, spell } = encode(ask('Q\nReply:'), [':\n', ': ']);
    expect(spell(encoded.form!.next.keys())).toEqual(['{']);
    expect(spell(encoded.tokens)).toEqual([...'Q\nReply:']);
  });

  it('tokenises replies by themselves where every beginning would change the prompt', () => {
    const { encoded } = encode(ask('Q\nReply:'), [':\n', ': ', ':{']);
    expect(textsOf(encoded.form!)).toHaveLength(606);
  });

  it('writes labels as JSON does', () => {
    const { encoded } = encode(ask('Q:', ['a"b\\', 'é']));
    expect(JSON.parse(textsOf(encoded.form!)[0]!)).toEqual({ answer: 'a"b\\', confidence: 0 });
  });

  it('refuses labels whose tokens are the same, and empty prompts', () => {
    const unknown = (text: string) =>
      Array.from(text, (character) => (/[ -~\n]/.test(character) ? character.charCodeAt(0) : 0));
    const encoder = replyEncoder({ frame: RAW_FRAME, bosId: null }, unknown);
    expect(encoder(ask('Q:', ['é', 'ü']))).toMatchObject({ reason: 'the tokens of two replies are the same' });
    expect(encoder(ask(''))).toMatchObject({ kind: 'refused', reason: 'the prompt is empty' });
  });

  it('tokenises the prompt of an example once for all its samples, and needs the longest free reply to fit', () => {
    const texts: string[] = [];
    const encoder = replyEncoder({ frame: RAW_FRAME, bosId: null }, (text) => {
      texts.push(text);
      return Array.from(text, (character) => character.charCodeAt(0));
    });
    for (const id of ['1', '2', '3'])
      expect(encoder({ ...ask('Long', ['A'], null), id })).toMatchObject({ longest: 64 });
    expect(texts).toEqual(['Long']);
  });
});
