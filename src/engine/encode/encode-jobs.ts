import type { ModelFraming } from '../frame/frame-model.js';
import type { Tokenize } from '../protocol/backend.js';
import type { WirePrompt } from '../protocol/protocol.js';
import { encodePrompt } from './encode-prompt.js';
import { replyEncoder } from './encode-reply.js';
import { encodeRotations } from './encode-rotations.js';
import { encodeTextRow } from './encode-text-row.js';
import type { EncodedPrompt } from './encoded-prompt.js';
import { type ByteCounts, leastOf } from './least-tokens.js';
import { cellsOf } from './prompt-size.js';
import { sharedTokens } from './shared-tokens.js';
import { tokenizerByLines } from './tokenize-endings.js';

export interface EncodedPrompts {
  /** Per job (data set), in the order of its prompts. */
  readonly jobs: readonly (readonly EncodedPrompt[])[];
  /** Per job, the tokens that are evaluated once and kept (`sharedTokens`); may be none. */
  readonly shared: readonly (readonly number[])[];
  /** Tokens of the longest prompt of all jobs, with its longest option in text mode; at least 1. */
  readonly longest: number;
}

export interface Tokenising {
  readonly tokenize: Tokenize;
  /** `LoadedModel.keepsLinesApart`: what stands before the last line of a prompt is then tokenised once. */
  readonly linesApart?: boolean;
  /** Prompts that can never fit are refused before they are tokenised; absent: none is. */
  readonly room?: PromptRoom | undefined;
  /** Called with the number of prompts that are tokenised. */
  readonly onProgress?: (prompts: number) => void;
}

/** Tokens that a prompt may have, and what is known of the vocabulary. */
export interface PromptRoom {
  /** What a sequence holds, as models.yaml declares it or as the model was trained. */
  readonly most: number;
  readonly reach: () => ByteCounts | null;
}

/** Prompts between two signs of life: a fraction of a second, for the longest ones a few. */
const PROMPTS_A_SIGN = 500;
/** Prompts between two turns of other work: the weights of the model may be on their way in the same process. */
const PROMPTS_A_TURN = 20;

/**
 * Tokenises every prompt of every job before any is evaluated: lengths decide the context size. Now and then it lets
 * other work of the process have its turn, and says how many prompts are done.
 */
export async function encodeJobs(
  jobs: readonly (readonly WirePrompt[])[],
  sharing: readonly (readonly WirePrompt[] | undefined)[],
  framing: ModelFraming,
  { onProgress = () => {}, ...tokenising }: Tokenising,
): Promise<EncodedPrompts> {
  let longest = 1;
  const encode = promptEncoder(framing, tokenising);
  const encoded = Array.from(jobs, (): EncodedPrompt[] => []);
  let done = 0;
  for (const [job, prompts = []] of Array.from(jobs).entries()) {
    for (const prompt of prompts) {
      encoded[job]?.push(encode(prompt));
      if (++done % PROMPTS_A_SIGN === 0) onProgress(done);
      if (done % PROMPTS_A_TURN !== 0) continue;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  for (const prompt of encoded.flat()) if (prompt.kind !== 'refused') longest = Math.max(longest, cellsOf(prompt));
  return { jobs: encoded, shared: encoded.map((_, job) => sharedTokens((sharing[job] ?? []).map(encode))), longest };
}

/** What makes tokens of one prompt after the other; it remembers what prompts have in common. */
export function promptEncoder(
  framing: ModelFraming,
  { tokenize, linesApart = false, room }: Omit<Tokenising, 'onProgress'>,
): (prompt: WirePrompt) => EncodedPrompt {
  const short = cachedShort(tokenize);
  const cached = linesApart ? tokenizerByLines(short) : short;
  const encodeReply = replyEncoder(framing, cached);
  return (prompt) => {
    const least = room === undefined ? 0 : leastOf(prompt, room.reach);
    if (room !== undefined && least > room.most)
      return { kind: 'refused', id: prompt.id, reason: neverFits(prompt, least, room.most) };
    if (prompt.mode === 'text') return encodeTextRow(prompt, framing, cached);
    if (prompt.mode === 'reply') return encodeReply(prompt);
    if (prompt.mode === 'rotations') return encodeRotations(prompt, framing, cached);
    const result = encodePrompt(prompt, framing.frame, framing.bosId, cached);
    if (result.kind === 'refused') return { kind: 'refused', id: prompt.id, reason: result.reason };
    return { kind: 'ok', id: prompt.id, tokens: Uint32Array.from(result.tokens), optionIds: result.optionIds };
  };
}

function neverFits({ text }: WirePrompt, least: number, most: number): string {
  return `the prompt of ${text.length} characters has ${least} tokens or more, but a sequence holds ${most}; it was not tokenised`;
}

/** In a chat prompt the end of the template and the label are the same for every row: tokenise them once. */
function cachedShort(tokenize: Tokenize): Tokenize {
  const known = new Map<string, number[]>();
  return (text) => {
    if (text.length > 64) return tokenize(text);
    const found = known.get(text);
    if (found !== undefined) return found;
    const tokens = tokenize(text);
    if (known.size < 10_000) known.set(text, tokens);
    return tokens;
  };
}
