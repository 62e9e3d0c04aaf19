import type { EncodedReply } from './encode-reply.js';
import type { EncodedRotations } from './encode-rotations.js';
import type { EncodedText } from './encode-text-row.js';

export type EncodedPrompt =
  | { readonly kind: 'ok'; readonly id: string; readonly tokens: Uint32Array; readonly optionIds: readonly number[] }
  | EncodedText
  | EncodedRotations
  | EncodedReply
  | { readonly kind: 'refused'; readonly id: string; readonly reason: string };

/** A prompt that can be evaluated. */
export type ReadyPrompt = Exclude<EncodedPrompt, { kind: 'refused' }>;
