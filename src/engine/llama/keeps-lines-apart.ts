import type { ModelInfo } from '../protocol/backend.js';

/** What a GGUF file says of its vocabulary under `tokenizer.ggml`, as far as it matters here. */
export interface Vocabulary {
  readonly tokens?: readonly string[];
  readonly token_type?: readonly number[];
  readonly merges?: readonly string[];
  readonly add_space_prefix?: boolean;
}

/**
 * Pre-tokenizers of llama.cpp, all read for this: each cuts a text from left to right, none puts a line break and a
 * letter after it into one word, and none looks back, or ahead over more than the digits that follow.
 */
const READ = new Set(
  (
    'default llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 deepseek-llm deepseek-coder ' +
    'deepseek-v3 spark2_5 youtu falcon mpt starcoder gpt-2 phi-2 gigachat a.x-4.0 mellum jais-2 gemma4 sarvam-moe refact command-r ' +
    'qwen2 deepseek-r1-qwen kormo qwen35 stablelm2 olmo dbrx smaug-bpe poro-chat glm4 chatglm-bpe viking jais tekken ' +
    'smollm codeshell bloom gpt3-finnish exaone exaone4 exaone-moe minerva-7b megrez gpt-4o llama4 kanana2 tiny_aya ' +
    'cohere2moe superbpe trillion bailingmoe bailingmoe2 llada-moe seed-coder hunyuan hunyuan-dense hy_v4 joyai-llm kimi-k2 ' +
    'ufakzeka grok-2 afmoe laguna minimax-m2 minicpm5 solar-open mellum2'
  ).split(' '),
);

const USER_DEFINED = 4;

/**
 * A line break and a letter after it, with the blank between the two halves of a merge or without. Vocabularies of
 * bytes spell a line break as \u010a.
 */
const OVER_THE_BORDER = /[\n\u010a] ?[A-Za-z]/;

/**
 * Whether the tokens of a line that begins with a letter of ASCII do not depend on the lines before, nor theirs on what
 * the line holds after that letter. Merging (BPE, SentencePiece's first kind) works on both sides of a border alone
 * when no token and no merge has the two characters at the border side by side, and when words are cut there or not
 * cut at all. That is read from the whole vocabulary; other kinds of vocabularies (the unigram kind sums scores over
 * a whole text) are not relied on.
 *
 * @param strips whether a token that is read out of plain text takes the white space after it
 */
export function keepsLinesApart(
  vocabulary: Vocabulary | undefined,
  {
    vocabularyType,
    tokenizerModel,
    preTokenizer,
  }: Pick<ModelInfo, 'vocabularyType' | 'tokenizerModel' | 'preTokenizer'>,
  strips: boolean,
): boolean {
  const { tokens, merges = [], token_type: types = [], add_space_prefix: spaced = true } = vocabulary ?? {};
  if (tokens === undefined || strips) return false;
  // A vocabulary of the kind `gemma4` needs no pre-tokenizer of its own to be cut as that one does.
  const cut = preTokenizer ?? (tokenizerModel === 'gemma4' ? 'gemma4' : '');
  const merging = vocabularyType === 'bpe' ? READ.has(cut) : vocabularyType === 'spm';
  // After such a token SentencePiece begins a text anew, with a space before it.
  const restarts = (text: string, id: number) => spaced && types[id] === USER_DEFINED && text.endsWith('\n');
  const crosses = (text: string) => OVER_THE_BORDER.test(text);
  return (
    merging && !(vocabularyType === 'spm' && tokens.some(restarts)) && !tokens.some(crosses) && !merges.some(crosses)
  );
}
