import type { ReplyRequest } from '../datasets/prompt.js';
import type { Tokenize } from './backend.js';
import { promptTokens } from './encode-prompt.js';
import type { ModelFraming } from './frame-model.js';
import type { WirePrompt } from './protocol.js';

/** A prompt that the model writes a reply to. */
export interface EncodedReply {
  readonly kind: 'reply';
  readonly id: string;
  readonly tokens: Uint32Array;
  readonly request: ReplyRequest;
}

/** The tokens of the prompt alone: what may follow is not known. */
export function encodeReply(
  prompt: WirePrompt,
  { frame, bosId }: Pick<ModelFraming, 'frame' | 'bosId'>,
  tokenize: Tokenize,
): EncodedReply | { readonly kind: 'refused'; readonly id: string; readonly reason: string } {
  const { id, reply } = prompt;
  if (reply === undefined) return { kind: 'refused', id, reason: 'the prompt does not say how to reply' };
  const tokens = promptTokens(prompt, frame, bosId, tokenize);
  if (tokens.length === 0) return { kind: 'refused', id, reason: 'the prompt is empty' };
  return { kind: 'reply', id, tokens: Uint32Array.from(tokens), request: reply };
}
