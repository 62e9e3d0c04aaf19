import { describe, expect, it } from 'vitest';
import { keepsLinesApart } from '../../../src/engine/llama/keeps-lines-apart.js';

const BPE = { vocabularyType: 'bpe', tokenizerModel: 'gpt2', preTokenizer: 'qwen2' };
const SPM = { vocabularyType: 'spm', tokenizerModel: 'llama', preTokenizer: null };
const bytes = { tokens: ['\u010a', 'Answer', '\u010a\u0120', '.\u010a\u010a'], merges: ['\u010a \u010a', 'An swer'] };

describe('keepsLinesApart', () => {
  it('holds for a merging vocabulary without a token over the border', () => {
    expect(keepsLinesApart(bytes, BPE, false)).toBe(true);
    expect(keepsLinesApart({ tokens: ['<0x0A>', '\u2581Answer', '\n\n'] }, SPM, false)).toBe(true);
  });

  it.each([
    ['a token of bytes', { ...bytes, tokens: [...bytes.tokens, ':\u010aA'] }, BPE],
    ['a merge of bytes', { ...bytes, merges: ['\u010a A'] }, BPE],
    ['a token of text', { tokens: ['\nThe'] }, SPM],
    ['a pre-tokenizer that nobody has read', bytes, { ...BPE, preTokenizer: 'of-tomorrow' }],
    ['no pre-tokenizer', bytes, { ...BPE, preTokenizer: null }],
    ['a vocabulary that sums scores', bytes, { ...BPE, vocabularyType: 'ugm' }],
    ['a file without tokens', {}, BPE],
    ['a line break from which SentencePiece begins anew', { tokens: ['\n\n'], token_type: [4] }, SPM],
  ])('does not hold with %s', (_, vocabulary, kind) => {
    expect(keepsLinesApart(vocabulary, kind, false)).toBe(false);
  });

  it('holds for such a line break where no space is put before a text', () => {
    expect(keepsLinesApart({ tokens: ['\n\n'], token_type: [4], add_space_prefix: false }, SPM, false)).toBe(true);
  });

  it('does not hold where a token takes the white space after it', () => {
    expect(keepsLinesApart(bytes, BPE, true)).toBe(false);
  });

  it('knows how a vocabulary of the kind gemma4 is cut', () => {
    const kind = { ...BPE, tokenizerModel: 'gemma4', preTokenizer: null };
    expect(keepsLinesApart({ tokens: ['\n', 'A'] }, kind, false)).toBe(true);
  });
});
