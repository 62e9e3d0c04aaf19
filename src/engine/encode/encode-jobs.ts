import type { ModelFraming } from '../frame/frame-model.js';
import type { Tokenize } from '../protocol/backend.js';
import type { Share, WirePrompt } from '../protocol/protocol.js';
import { chunkOrder } from './chunk-order.js';
import { encodePrompt } from './encode-prompt.js';
import { replyEncoder } from './encode-reply.js';
import { encodeRotations } from './encode-rotations.js';
import { encodeTextRow } from './encode-text-row.js';
import type { EncodedPrompt } from './encoded-prompt.js';
import { type ByteCounts, leastOf } from './least-tokens.js';
import { packPrompts, unpackPrompts } from './packed-prompts.js';
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
  /** Children that tokenise the same prompts; absent: nobody else does. */
  readonly siblings?: Siblings | undefined;
}

/** Children that hold the same model and tell each other the tokens of its prompts, chunk by chunk. */
export interface Siblings {
  /** Which of them this child is. */
  readonly share: Share;
  /** Tokens of a chunk that another child has made, as far as they have come. Nobody waits for them. */
  take(chunk: number): Uint32Array | undefined;
  /** Hands tokens over that this child has made. */
  give(chunk: number, packed: Uint32Array): void;
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
/** Prompts that one child makes and hands over together: a message of some 70 KB, about 30 ms of work. */
const PROMPTS_A_CHUNK = 100;

/**
 * Tokenises every prompt of every job before any is evaluated: lengths decide the context size. Now and then it lets
 * other work of the process have its turn, and says how many prompts are done. Tokens that a sibling has made are taken
 * from there; they are the same whoever made them.
 */
export async function encodeJobs(
  jobs: readonly (readonly WirePrompt[])[],
  sharing: readonly (readonly WirePrompt[] | undefined)[],
  framing: ModelFraming,
  { onProgress = () => {}, siblings, ...tokenising }: Tokenising,
): Promise<EncodedPrompts> {
  const encode = promptEncoder(framing, tokenising);
  const all = Array.from(jobs, (prompts = []) => prompts).flat();
  const encoded = new Array<EncodedPrompt>(all.length);
  let done = 0;
  const noteDone = (prompts: number) => {
    const signs = Math.floor(done / PROMPTS_A_SIGN);
    done += prompts;
    if (Math.floor(done / PROMPTS_A_SIGN) > signs) onProgress(done);
  };
  for (const chunk of chunkOrder(Math.ceil(all.length / PROMPTS_A_CHUNK), siblings?.share ?? ALONE)) {
    const start = chunk * PROMPTS_A_CHUNK;
    const prompts = all.slice(start, start + PROMPTS_A_CHUNK);
    const given = chunk === 0 ? undefined : siblings?.take(chunk);
    let made = given === undefined ? null : unpackPrompts(given, prompts, encode);
    if (made === null) {
      made = await encodeInTurns(prompts, encode);
      siblings?.give(chunk, packPrompts(made));
    }
    for (const [n, prompt] of made.entries()) encoded[start + n] = prompt;
    noteDone(made.length);
    await nextTurn();
  }
  return joined(jobs, encoded, (job) => sharedTokens((sharing[job] ?? []).map(encode)));
}

const ALONE: Share = { index: 0, count: 1 };

async function encodeInTurns(
  prompts: readonly WirePrompt[],
  encode: (prompt: WirePrompt) => EncodedPrompt,
): Promise<EncodedPrompt[]> {
  const made: EncodedPrompt[] = [];
  for (const prompt of prompts) {
    made.push(encode(prompt));
    if (made.length % PROMPTS_A_TURN === 0) await nextTurn();
  }
  return made;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The prompts of each job out of those of all jobs. */
function joined(
  jobs: readonly (readonly WirePrompt[])[],
  encoded: readonly EncodedPrompt[],
  sharedOf: (job: number) => readonly number[],
): EncodedPrompts {
  let longest = 1;
  for (const prompt of encoded) if (prompt.kind !== 'refused') longest = Math.max(longest, cellsOf(prompt));
  let start = 0;
  const byJob = Array.from(jobs, (prompts = []) => {
    start += prompts.length;
    return encoded.slice(start - prompts.length, start);
  });
  return { jobs: byJob, shared: byJob.map((_, job) => sharedOf(job)), longest };
}

/** What makes tokens of one prompt after the other; it remembers what prompts have in common. */
export function promptEncoder(
  framing: ModelFraming,
  { tokenize, linesApart = false, room }: Omit<Tokenising, 'onProgress' | 'siblings'>,
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
