import type { ReplyForm, ReplyRequest } from '../../contract/prompt.js';
import type { ModelFraming } from '../frame/frame-model.js';
import type { Tokenize } from '../protocol/backend.js';
import type { WirePrompt } from '../protocol/protocol.js';
import { type TokenTree, tokenTree, treeDepth } from '../protocol/token-tree.js';
import { promptTokens } from './encode-prompt.js';

/** A prompt that the model writes a reply to. */
export interface EncodedReply {
  readonly kind: 'reply';
  readonly id: string;
  readonly tokens: Uint32Array;
  readonly request: ReplyRequest;
  /** Every reply that is allowed; null: any text. */
  readonly form: TokenTree | null;
  /** Tokens of the longest reply. */
  readonly longest: number;
}

type Refused = { readonly kind: 'refused'; readonly id: string; readonly reason: string };

/** One encoder per model: the samples of an example share their tokens, examples with the same labels their replies. */
export function replyEncoder(
  { frame, bosId }: Pick<ModelFraming, 'frame' | 'bosId'>,
  tokenize: Tokenize,
): (prompt: WirePrompt) => EncodedReply | Refused {
  const forms = new Map<string, Omit<EncodedReply, 'kind' | 'id' | 'tokens' | 'request'> | null>();
  let last: { readonly text: string; readonly tokens: Uint32Array; readonly end: string } | undefined;
  return (prompt) => {
    const { id, reply, text } = prompt;
    if (reply === undefined) return { kind: 'refused', id, reason: 'the prompt does not say how to reply' };
    if (last?.text !== text) {
      const { tokens, tail } = promptTokens(prompt, frame, bosId, tokenize);
      last = { text, tokens: Uint32Array.from(tokens), end: lastLine(tail) };
    }
    const { tokens, end } = last;
    if (tokens.length === 0) return { kind: 'refused', id, reason: 'the prompt is empty' };
    if (reply.form === null) return { kind: 'reply', id, tokens, request: reply, form: null, longest: reply.maxTokens };
    const key = JSON.stringify([end, reply.form, prompt.continuations]);
    if (!forms.has(key)) forms.set(key, replyTree(end, reply.form, prompt.continuations, tokenize));
    const form = forms.get(key)!;
    if (form === null) return { kind: 'refused', id, reason: 'the tokens of two replies are the same' };
    return { kind: 'reply', id, tokens, request: reply, ...form };
  };
}

/** What a reply's first token may depend on: the last line of the prompt, with the line breaks at its end. */
function lastLine(tail: string): string {
  return tail.slice(tail.trimEnd().lastIndexOf('\n') + 1);
}

/**
 * All replies of a form, tokenised in their place after the end of the prompt. Beginnings that would change the
 * prompt's own tokens are left out; where that leaves none, replies are tokenised by themselves.
 */
function replyTree(end: string, { leads, parts }: ReplyForm, labels: readonly string[], tokenize: Tokenize) {
  const prompt = tokenize(end);
  const [open, middle, close] = parts;
  const inPlace = (text: string): number[] | null => {
    const tokens = tokenize(end + text);
    return prompt.every((token, index) => tokens[index] === token) ? tokens.slice(prompt.length) : null;
  };
  const texts = (tokensOf: (text: string) => number[] | null) =>
    leads.flatMap((lead) =>
      labels.flatMap((label) =>
        Array.from({ length: 101 }, (_, n) => {
          const text = `${lead}${open}${JSON.stringify(label)}${middle}${n}${close}`;
          return { text, tokens: tokensOf(text) };
        }),
      ),
    );
  const fitting = texts(inPlace).flatMap(({ text, tokens }) => (tokens === null ? [] : [{ text, tokens }]));
  const form = tokenTree(fitting.length > 0 ? fitting : (texts(tokenize) as { text: string; tokens: number[] }[]));
  return form === null ? null : { form, longest: treeDepth(form) };
}
