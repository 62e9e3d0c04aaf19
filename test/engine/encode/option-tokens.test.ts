import { describe, expect, it } from 'vitest';
import { optionTokens } from '../../../src/engine/encode/option-tokens.js';
import { toyTokenizer } from './toy-tokenizer.js';

const WORDS = [
  'Answer',
  'Ans',
  'wer',
  ':',
  ':A',
  ':B',
  ' A',
  ' B',
  'A',
  'B',
  'C',
  ' very',
  ' good',
  ' bad',
  ' neu',
  'tral',
  ' negative',
  ' ',
];
const tokenize = toyTokenizer(WORDS);
const id = (word: string) => WORDS.indexOf(word);

describe('optionTokens', () => {
  it('evaluates the prompt and scores one token per option', () => {
    expect(optionTokens([99], 'Ans', [' A', ' B'], tokenize)).toEqual({
      kind: 'ok',
      tokens: [99, id('Ans')],
      optionIds: [id(' A'), id(' B')],
    });
  });

  it('scores a tail that merges with every label together with the labels', () => {
    expect(optionTokens([], 'Answer:', ['A', 'B'], tokenize)).toEqual({
      kind: 'ok',
      tokens: [id('Answer')],
      optionIds: [id(':A'), id(':B')],
    });
  });

  it('refuses a tail that merges with one label only, and names the option', () => {
    const result = optionTokens([], 'Answer:', ['A', 'C'], tokenize);
    expect(result).toMatchObject({ kind: 'refused', reason: expect.stringContaining('option "C" is 2 tokens') });
  });

  it('notices a token that spans the end of the prompt and the start of an option', () => {
    // "Ans" + "wer" is the one token "Answer": it scores from an empty start, and "Ans" + "A" does not.
    expect(optionTokens([7], 'Ans', ['wer', 'A'], tokenize)).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('"A" is 2 tokens'),
    });
  });

  it('refuses an option of several tokens among options of one', () => {
    expect(optionTokens([], 'Ans', [' negative', ' neutral'], tokenize)).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/" neutral" is 2 tokens .* `scoring: \{mode: text\}`/),
    });
  });

  it('scores labels with a shared beginning at the token where they part', () => {
    expect(optionTokens([], 'Ans', [' very good', ' very bad'], tokenize)).toEqual({
      kind: 'ok',
      tokens: [id('Ans'), id(' very')],
      optionIds: [id(' good'), id(' bad')],
    });
  });

  it('refuses two options with the same scored token', () => {
    expect(optionTokens([], 'Ans', [' A', ' B', ' A'], tokenize)).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/^options " A" and " A" share the scored token 6\. Score whole texts/),
    });
  });

  it('refuses an option that is the beginning of another', () => {
    const result = optionTokens([], 'Ans', [' A', ' AB'], tokenize);
    expect(result).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/^option " AB" is 2 tokens in its place|^option " A" shares its scored token/),
    });
    expect(optionTokens([], 'Ans', [' very bad', ' A', ' very'], tokenize)).toMatchObject({ kind: 'refused' });
    expect(optionTokens([], 'Ans', [' very', ' very bad'], tokenize)).toMatchObject({
      reason: expect.stringMatching(/^option " very" shares its scored token with option " very bad"\. Score whole/),
    });
  });

  it('refuses an empty label', () => {
    expect(optionTokens([], 'Ans', [' A', ''], tokenize)).toMatchObject({
      kind: 'refused',
      reason: 'option 2 has an empty label',
    });
  });

  it('refuses a prompt without any token', () => {
    expect(optionTokens([], '', ['A', 'B'], tokenize)).toMatchObject({ kind: 'refused' });
  });
});
