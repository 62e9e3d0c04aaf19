import type { InspectedPrompt, PromptCounts } from '../../contract/inspection.js';
import type { EncodedPrompt } from '../encode/encoded-prompt.js';
import type { WirePrompt } from '../protocol/protocol.js';
import { countEncoded } from './count-prompts.js';
import { inspectPrompt } from './inspect-prompt.js';

/** The tokens of one set of prompts as JSON Lines, in pieces of so many lines, and what there is to count. */
export interface TokenLines {
  readonly pieces: ReadonlyArray<{ readonly text: string; readonly lines: number }>;
  readonly counts: PromptCounts;
}

const LINES_A_PIECE = 500;

/**
 * A line for each prompt: `{id, mode, bos, tokens, options, refused}`. They are made where the tokens are: a text
 * crosses to another process many times faster than arrays of numbers do.
 */
export function tokenLines(
  prompts: readonly WirePrompt[],
  encoded: readonly EncodedPrompt[],
  bos: boolean,
): TokenLines {
  const pieces = Array.from({ length: Math.ceil(prompts.length / LINES_A_PIECE) }, (_, piece) => {
    const from = piece * LINES_A_PIECE;
    const lines = prompts.slice(from, from + LINES_A_PIECE).flatMap((prompt, n) => {
      const tokens = encoded[from + n];
      return tokens === undefined ? [] : [`${JSON.stringify(lineOf(inspectPrompt(prompt, tokens), bos))}\n`];
    });
    return { text: lines.join(''), lines: lines.length };
  });
  return { pieces, counts: countEncoded(encoded) };
}

function lineOf({ id, mode, tokens, options, refused }: InspectedPrompt, bos: boolean) {
  return { id, mode, bos, tokens, options: options.map((option) => option.tokens), refused };
}
