import { describe, expect, it } from 'vitest';
import { plainTokenizer, steersModel } from '../../../src/engine/frame/plain-tokenizer.js';

describe('steersModel', () => {
  it.each(['<|channel>', '<turn|>', '<|User|>', '<｜fim▁hole｜>', '<think>', '</think>', '<pad>', '[PAD151650]'])(
    'knows %s by its look',
    (text) => expect(steersModel(text, null)).toBe(true),
  );

  it.each(['ø', '<table>', '[INST]', '<', '\n\n'])('leaves %j to the text it may be part of', (text) =>
    expect(steersModel(text, 'a template without it')).toBe(false),
  );

  it('knows a token in brackets that the template writes', () => {
    expect(steersModel('[INST]', "{{ '[INST] ' + content }}")).toBe(true);
  });
});

describe('plainTokenizer', () => {
  const steering = [{ id: 7, text: '<|x|>', stripsLeft: false, stripsRight: false }];
  /** One token per character; `<|x|>` is token 7 wherever it stands; `spaced` puts a space before every text. */
  const toy = (spaced: boolean) => (text: string) =>
    (spaced && text !== '' ? ` ${text}` : text)
      .split('<|x|>')
      .flatMap((part, n) => [...(n === 0 ? [] : [7]), ...Array.from(part, (c) => 100 + c.codePointAt(0)!)]);
  const read = (ids: readonly number[]) => String.fromCodePoint(...ids.map((id) => id - 100));

  it('gives the characters of a steering token, one or many, and nothing else', () => {
    const tokenize = plainTokenizer(toy(false), steering, false);
    expect(read(tokenize('a<|x|>b<|x|><|x|>'))).toBe('a<|x|>b<|x|><|x|>');
  });

  it('puts no space inside a text where the vocabulary puts one before every text', () => {
    const tokenize = plainTokenizer(toy(true), steering, true);
    expect(read(tokenize('a<|x|>b'))).toBe(' a<|x|>b');
    expect(read(tokenize('<|x|>'))).toBe(' <|x|>');
  });
});
