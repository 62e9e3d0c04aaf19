import { describe, expect, it } from 'vitest';
import { textTokens } from '../../../src/engine/encode/text-tokens.js';
import { toyTokenizer } from './toy-tokenizer.js';

const WORDS = ['Q', ' very', ' good', ' bad', 'Ans', 'wer', 'Answer', ' '];
const tokenize = toyTokenizer(WORDS);
const [q, very, good, bad, ans, , answer] = WORDS.map((_, id) => id);
const char = (text: string) => 1000 + text.charCodeAt(0);

describe('textTokens', () => {
  it('scores every token of a text, those that all options begin with too', () => {
    expect(textTokens([], 'Q', [' very good', ' very bad'], tokenize)).toEqual({
      kind: 'ok',
      tokens: [q],
      continuations: [
        [very, good],
        [very, bad],
      ],
    });
  });

  it('a space of the prompt that belongs to the first token of a text is scored with it', () => {
    expect(textTokens([], 'Q ', ['good', 'bad'], tokenize)).toEqual({
      kind: 'ok',
      tokens: [q],
      continuations: [[good], [bad]],
    });
  });

  it('a prompt that merges with one option is scored with both from where they part', () => {
    expect(textTokens([9], 'Ans', ['wer', 'x'], tokenize)).toEqual({
      kind: 'ok',
      tokens: [9],
      continuations: [[answer], [ans, char('x')]],
    });
  });

  it('a prompt that merges as a whole leaves nothing to score after, which is refused', () => {
    expect(textTokens([], 'Ans', ['wer', 'x'], tokenize)).toEqual({
      kind: 'refused',
      reason: 'the prompt has no token to score after',
    });
  });

  it('equal options, and an option that begins another, are scored from the end of the prompt', () => {
    expect(textTokens([], 'Q', [' very', ' very', ' very good'], tokenize)).toMatchObject({
      tokens: [q],
      continuations: [[very], [very], [very, good]],
    });
  });

  it('an empty text is refused, by its number', () => {
    expect(textTokens([], 'Q', [' very', ' '], tokenize)).toEqual({
      kind: 'refused',
      reason: 'option 2 has an empty text',
    });
  });
});
