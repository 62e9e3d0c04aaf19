import type { ModelFraming } from '../frame/frame-model.js';
import type { Tokenize } from '../protocol/backend.js';
import type { WirePrompt } from '../protocol/protocol.js';
import { encodePrompt } from './encode-prompt.js';

/** One example under several orders of its options: letter prompts that begin alike. */
export interface EncodedRotations {
  readonly kind: 'rotations';
  readonly id: string;
  /** The stem: what all the prompts begin with; evaluated once. */
  readonly tokens: Uint32Array;
  /** One per order. */
  readonly tails: readonly [RotationTail, ...RotationTail[]];
}

/** What follows the stem, at least one token, and the option tokens that are read at its end. */
interface RotationTail {
  readonly tokens: Uint32Array;
  readonly optionIds: readonly number[];
}

/** Every order is encoded as the letter prompt that it is; one that is refused refuses the example. */
export function encodeRotations(
  prompt: WirePrompt,
  { frame, bosId }: Pick<ModelFraming, 'frame' | 'bosId'>,
  tokenize: Tokenize,
): EncodedRotations | { readonly kind: 'refused'; readonly id: string; readonly reason: string } {
  const { id, answerPrefix, rotations = [] } = prompt;
  const prompts: { tokens: readonly number[]; optionIds: readonly number[] }[] = [];
  for (const [r, { text, continuations }] of rotations.entries()) {
    const encoded = encodePrompt({ text, continuations, answerPrefix }, frame, bosId, tokenize);
    if (encoded.kind === 'refused') {
      const order = orderNumber(r, rotations.length, continuations.length);
      return { kind: 'refused', id, reason: `rotation ${order}: ${encoded.reason}` };
    }
    prompts.push(encoded);
  }
  const [first, ...others] = prompts;
  if (first === undefined) return { kind: 'refused', id, reason: 'the prompt has no rotation' };
  const stem = stemLength(prompts.map(({ tokens }) => tokens));
  if (stem === 0) return { kind: 'refused', id, reason: 'the rotations have no first token in common' };
  const tailOf = ({ tokens, optionIds }: typeof first): RotationTail => ({
    tokens: Uint32Array.from(tokens.slice(stem)),
    optionIds,
  });
  return {
    kind: 'rotations',
    id,
    tokens: Uint32Array.from(first.tokens.slice(0, stem)),
    tails: [tailOf(first), ...others.map(tailOf)],
  };
}

/** 1 to K: which of all orders stands at `index`. Fewer than K are the last ones. */
export function orderNumber(index: number, orders: number, options: number): number {
  return options - orders + index + 1;
}

/** Tokens that all begin with, so that each has at least one left, at whose end its options are read. */
function stemLength(prompts: readonly (readonly number[])[]): number {
  const limit = Math.min(...prompts.map((tokens) => tokens.length)) - 1;
  let length = 0;
  while (length < limit && prompts.every((tokens) => tokens[length] === prompts[0]?.[length])) length++;
  return length;
}
