import { describe, expect, it } from 'vitest';
import { tokenizeEndings, tokenizerByLines } from '../../../src/engine/encode/tokenize-endings.js';
import type { Tokenize } from '../../../src/engine/protocol/backend.js';
import { toyTokenizer } from './toy-tokenizer.js';

const LONG = 'a question of many words\nA. one\nB. two\n';
const ENDINGS = [' A', ' B', ' C', ' D'];

/** A tokenizer that counts the characters it was given. */
function counted(tokenize: Tokenize) {
  const count = { characters: 0 };
  const counting: Tokenize = (text) => {
    count.characters += text.length;
    return tokenize(text);
  };
  return { count, counting };
}

const joined = (text: string, endings: readonly string[], tokenize: Tokenize) =>
  endings.map((ending) => tokenize(text + ending));

describe('tokenizeEndings', () => {
  const tokenize = toyTokenizer(['Answer', 'question', ' A', ' B', ':', '\n']);

  it('joins text and ending where the tokenizer has no way of its own', () => {
    expect(tokenizeEndings('Answer:', [' A', ''], tokenize)).toEqual([tokenize('Answer: A'), tokenize('Answer:')]);
  });

  it('reads what stands before the last line once', () => {
    const { count, counting } = counted(tokenize);
    const byLines = tokenizerByLines(counting);
    // The first texts are tokenised in both ways.
    for (let n = 0; n < 20; n++) byLines.endings!(`${LONG}Answer:`, ENDINGS);
    count.characters = 0;
    const text = `${LONG.repeat(4)}Answer:`;
    expect(byLines.endings!(text, ENDINGS)).toEqual(joined(text, ENDINGS, tokenize));
    expect(count.characters).toBeLessThan(1.4 * text.length);
  });

  it('joins them for a text of one line, and for one whose last line does not begin with a letter', () => {
    const { count, counting } = counted(tokenize);
    const byLines = tokenizerByLines(counting);
    for (const text of ['a question of many words and one line. Answer:', `- one\n${'- another line'.repeat(9)}\n- `]) {
      count.characters = 0;
      expect(byLines.endings!(text, ENDINGS)).toEqual(joined(text, ENDINGS, tokenize));
      expect(count.characters).toBe(4 * (text.length + 2));
    }
  });

  it('joins them where a token reaches over the border', () => {
    const over = toyTokenizer(['\nAns', 'wer', 'Answer', ' A', ' B']);
    const byLines = tokenizerByLines(over);
    expect(byLines.endings!(`${LONG}Answer:`, ENDINGS)).toEqual(joined(`${LONG}Answer:`, ENDINGS, over));
  });

  it('never trusts the border again once the lines before it were seen to change an ending', () => {
    // An ending is another token after a question than after anything else.
    const plain = toyTokenizer(['Answer', ' A', ' B']);
    const far: Tokenize = (text) => plain(text).map((id, n) => (n > 0 && id === 2 && text.includes('?') ? 77 : id));
    const byLines = tokenizerByLines(far);
    const texts = [`${LONG}why?\nAnswer:`, ...Array.from({ length: 40 }, (_, n) => `${LONG}${n}?\nAnswer:`)];
    for (const text of texts) expect(byLines.endings!(text, ENDINGS)).toEqual(joined(text, ENDINGS, far));
  });
});
