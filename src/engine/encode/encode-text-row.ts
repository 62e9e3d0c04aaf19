import type { TextScore } from '../../contract/prompt.js';
import type { ModelFraming } from '../frame/frame-model.js';
import type { TextRow, Tokenize } from '../protocol/backend.js';
import type { WirePrompt } from '../protocol/protocol.js';
import { encodeText } from './encode-prompt.js';

/** What the score of a row needs beside its log-probabilities. */
export interface TextScoring {
  readonly normalize: TextScore['normalize'];
  /** The tokens of each option that are scored. */
  readonly continuations: readonly (readonly number[])[];
  /** The number of characters (code points) of each option's text. */
  readonly characters: readonly number[];
}

/** A prompt whose options are scored as whole texts. */
export interface EncodedText extends TextScoring {
  readonly kind: 'text';
  readonly id: string;
  readonly tokens: Uint32Array;
  /** For pmi, the options after the pmi prompt, in the same frame; null for every other normalisation. */
  readonly baseline: TextRow | null;
}

/** Tokens of a prompt in text mode, of its options and, for pmi, of both after the pmi prompt. */
export function encodeTextRow(
  prompt: WirePrompt,
  { frame, bosId }: Pick<ModelFraming, 'frame' | 'bosId'>,
  tokenize: Tokenize,
): EncodedText | { readonly kind: 'refused'; readonly id: string; readonly reason: string } {
  const { id, textScore = { normalize: 'sum' } } = prompt;
  const own = encodeText(prompt, frame, bosId, tokenize);
  if (own.kind === 'refused') return { kind: 'refused', id, reason: own.reason };
  let baseline: TextRow | null = null;
  if (textScore.normalize === 'pmi') {
    const bare = encodeText({ ...prompt, text: textScore.pmiPrompt }, frame, bosId, tokenize);
    if (bare.kind === 'refused') return { kind: 'refused', id, reason: `after the pmi prompt: ${bare.reason}` };
    baseline = { tokens: bare.tokens, continuations: bare.continuations };
  }
  return {
    kind: 'text',
    id,
    tokens: Uint32Array.from(own.tokens),
    continuations: own.continuations,
    normalize: textScore.normalize,
    characters: characterCounts(prompt.continuations),
    baseline,
  };
}

/** Characters (code points) of each text. */
export function characterCounts(texts: readonly string[]): number[] {
  return texts.map((text) => Array.from(text).length);
}
