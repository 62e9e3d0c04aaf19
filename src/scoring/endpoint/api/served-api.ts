import type { z } from 'zod';
import { EndpointFault } from '../endpoint-fault.js';
import type { FormOfReply } from './reply-form.js';

/** A prompt as the server frames it: text that is continued, or a question that its chat template is put around. */
export interface ServedPrompt {
  /** With what stands between it and an option. */
  readonly text: string;
  readonly chat: boolean;
  /** Plain text at the start of the reply, chat prompts only; '' for none. */
  readonly reply: string;
}

/** Which tokens' log-probabilities are asked for. */
export interface Wanted {
  /** Named tokens; null where the interface knows none. */
  readonly ids: readonly number[] | null;
  /** One number added to the logit of each of these tokens. */
  readonly bias?: { readonly ids: readonly number[]; readonly by: number };
}

/** Natural log-probabilities of the token that would come next, of those tokens that the server named. */
export interface NextToken {
  readonly byId: ReadonlyMap<number, number>;
  /** By the text that the server gives the token. */
  readonly byText: ReadonlyMap<string, number>;
  readonly promptTokens: number;
}

/** A text after a prompt, as the server makes tokens of it. */
export interface EchoedText {
  /** Their ids, or numbers that stand for their texts: equal tokens have equal numbers. */
  readonly tokens: readonly number[];
  /** Natural log-probability of each token, given all before it. */
  readonly logprobs: readonly number[];
  readonly promptTokens: number;
}

/** What the model is to write, and how. */
export interface WantedReply {
  readonly temperature: number;
  readonly seed: number;
  readonly maxTokens: number;
  /** What the reply is held to, where the interface can do that; null: free text. */
  readonly form: FormOfReply | null;
}

export interface WrittenReply {
  readonly text: string;
  readonly tokens: number;
  /** false: cut at the largest number of tokens. */
  readonly ended: boolean;
  readonly promptTokens: number;
}

/** What a server says of itself and of the model; null: nothing. */
export interface ServedModel {
  readonly version: string | null;
  readonly revision: string | null;
}

/**
 * One interface of a server. A new one is a file with this record and a line in `served-apis.ts`. Every call may reject
 * with an `EndpointFault`.
 */
export interface ServedApi {
  /** Whether the log-probability of any named token can be had. */
  readonly named: boolean;
  /** Asks what is there; rejects when the model is not served. */
  describe(): Promise<ServedModel>;
  /** Token ids of a text, as the server has them; absent: it does not tell. */
  tokenize?(text: string, start: 'with-start-token' | 'text-alone'): Promise<readonly number[]>;
  /** Token ids of a whole prompt, with all that the server puts around it; absent: it does not tell. */
  promptTokens?(prompt: ServedPrompt): Promise<readonly number[]>;
  /** One step of the model, of which nothing is generated that anybody reads. */
  next(prompt: ServedPrompt, wanted: Wanted): Promise<NextToken>;
  /** How probable a text is after a prompt, token by token; absent: the interface does not tell. */
  textAfter?(prompt: ServedPrompt, text: string): Promise<EchoedText>;
  /** Lets the model write. */
  reply(prompt: ServedPrompt, wanted: WantedReply): Promise<WrittenReply>;
}

/** So far above 0 may rounding carry a log-probability. */
const ROUNDING = 1e-3;
/** So far may one token's log-probability differ where an answer tells it twice, as of the token that was taken. */
const SAME = 1e-2;

/**
 * A log-probability as a server tells it, at most 0; -9999 and lower is nothing. null: none is told.
 *
 * @throws EndpointFault (row) for a number that is none: taken for untold it would get a value that it can have
 */
export function logProbability(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || Number.isNaN(value) || value > ROUNDING)
    throw new EndpointFault('row', `the server tells the log-probability ${String(value)}; expected 0 or less`);
  return value <= -9999 ? Number.NEGATIVE_INFINITY : Math.min(0, value);
}

/**
 * The log-probabilities of tokens by their ids.
 *
 * @throws EndpointFault (row) where one token has two of them
 */
export function byTokenId(told: Iterable<readonly [id: number, value: unknown]>): ReadonlyMap<number, number> {
  const byId = new Map<number, number>();
  for (const [id, value] of told) {
    const logprob = logProbability(value);
    if (logprob === null) continue;
    const before = byId.get(id) ?? logprob;
    if (before !== logprob && !(Math.abs(before - logprob) <= SAME))
      throw new EndpointFault('row', `the server tells two log-probabilities of token ${id}: ${before} and ${logprob}`);
    byId.set(id, logprob);
  }
  return byId;
}

/** An answer of the server in the form that its documentation gives; another form fails the row, with what is wrong. */
export function answerOf<T>(schema: z.ZodType<T>, answer: unknown): T {
  const read = schema.safeParse(answer);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new EndpointFault(
    'row',
    `its answer has another form than expected (${issue?.path.join('.')}: ${issue?.message})`,
  );
}
