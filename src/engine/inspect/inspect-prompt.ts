import type { InspectedPrompt } from '../../contract/inspection.js';
import type { EncodedPrompt, ReadyPrompt } from '../encode/encoded-prompt.js';
import type { LoadedModel } from '../protocol/backend.js';
import type { WirePrompt } from '../protocol/protocol.js';

/** A prompt with its tokens and those of its options. */
export function inspectPrompt(prompt: WirePrompt, encoded: EncodedPrompt): InspectedPrompt {
  const base = { id: prompt.id, mode: prompt.mode };
  if (encoded.kind === 'refused') return { ...base, tokens: [], options: [], refused: encoded.reason };
  const { tokens, spans } = evaluatedTokens(encoded);
  const options = spans.map((span, k) => ({ text: prompt.continuations[k] ?? '', tokens: Array.from(span) }));
  return { ...base, tokens, options, refused: null };
}

/**
 * What is evaluated of a prompt, and what of its options. Rotations stand for their first one, which is the plain
 * prompt.
 */
function evaluatedTokens(encoded: ReadyPrompt): { tokens: number[]; spans: readonly (readonly number[])[] } {
  const tokens = Array.from(encoded.tokens);
  if (encoded.kind === 'text') return { tokens, spans: encoded.continuations };
  if (encoded.kind === 'reply') return { tokens, spans: [] };
  if (encoded.kind === 'ok') return { tokens, spans: encoded.optionIds.map((id) => [id]) };
  const [first] = encoded.tails;
  return { tokens: [...tokens, ...first.tokens], spans: first.optionIds.map((id) => [id]) };
}

/** The prompt with the texts of its tokens. */
export function addPieces(prompt: InspectedPrompt, model: LoadedModel): InspectedPrompt {
  const pieces = (tokens: readonly number[]) => tokens.map((token) => model.detokenize([token]));
  return {
    ...prompt,
    text: model.detokenize(prompt.tokens),
    pieces: pieces(prompt.tokens),
    optionPieces: prompt.options.map((option) => pieces(option.tokens)),
  };
}
