import type { ControlToken, Tokenize } from '../protocol/backend.js';

/** Looks like what templates write: `<|turn>`, `<turn|>`, `<|User|>`, `<think>`, DeepSeek's wide bars; and padding. */
const CONTROL_LOOK = /^(<(\|.*|.*\||｜.*｜|\/?think|pad)>|\[PAD\d*\])$/su;
const IN_BRACKETS = /^(<.+>|\[.+\])$/su;

/**
 * Whether a user-defined token must not be read out of data. llama.cpp reads user-defined tokens out of plain text;
 * some are ordinary text (`ø`, HTML tags), others steer the model. The latter look like it, or the file's own template
 * writes them.
 */
export function steersModel(text: string, chatTemplate: string | null): boolean {
  if (CONTROL_LOOK.test(text)) return true;
  return IN_BRACKETS.test(text) && (chatTemplate ?? '').includes(text);
}

/**
 * A tokenizer that never returns a token of `steering`: where llama.cpp finds one in a text, its text is cut behind the
 * first character and both parts are tokenised by themselves.
 *
 * @param spaced the vocabulary puts a space before every text it tokenises (SentencePiece)
 */
export function plainTokenizer(tokenize: Tokenize, steering: readonly ControlToken[], spaced: boolean): Tokenize {
  if (steering.length === 0) return tokenize;
  const texts = new Map(steering.map((token) => [token.id, token.text]));
  const inside = spaced ? withoutSpace(tokenize) : tokenize;
  const plain: Tokenize = (text) => {
    const [first = ''] = text;
    return [...inside(first), ...replace(inside(text.slice(first.length)))];
  };
  const replace = (ids: number[]): number[] =>
    ids.some((id) => texts.has(id)) ? ids.flatMap((id) => (texts.has(id) ? plain(texts.get(id)!) : [id])) : ids;
  return (text) => replace(tokenize(text));
}

/** Tokens of a text as they are in the middle of another: behind a line break, whose own tokens are taken off. */
function withoutSpace(tokenize: Tokenize): Tokenize {
  return (text) => {
    if (text === '') return [];
    const lineBreak = tokenize('\n');
    const ids = tokenize(`\n${text}`);
    return lineBreak.every((id, n) => ids[n] === id) ? ids.slice(lineBreak.length) : tokenize(text);
  };
}
