import type { KvType } from '../../config/models-schema.js';
import type { Device } from '../../contract/device.js';
import type { Adapter } from '../../contract/model-place.js';
import type { ReplyRequest, RotatedPrompt, TextScore } from '../../contract/prompt.js';
import type { ModelRow } from '../../contract/scored-row.js';
import type { FlashAttention, ModelFacts } from '../../contract/scorer.js';

/**
 * Whether the prompts of a call share a pass: always; one after the other where the file's weights give a prompt other
 * numbers in company (`RowKernels`); or never. One after the other, all begin in the same single sequence.
 */
export type Company = 'always' | 'if-exact' | 'never';

/** Everything a worker needs to load one model; fixed for the life of the child process. */
export interface WorkerPlan {
  readonly model: string;
  readonly modelPath: string;
  readonly device: Device;
  readonly prompt: 'raw' | 'chat';
  /** Plain text at the start of the reply of a chat prompt. */
  readonly assistantPrefix?: string;
  readonly bos: 'auto' | 'always' | 'never';
  /** Takes the place of the file's own pre-tokenizer. */
  readonly preTokenizer?: string;
  readonly lora?: readonly Adapter[];
  /** Number type of the KV cache; absent: f16. */
  readonly kvType?: KvType;
  readonly flashAttention: FlashAttention;
  /** Layers on the GPU; absent: all. */
  readonly gpuLayers?: number | 'max';
  /** Tokens one sequence may hold; null: as many as the longest prompt needs. */
  readonly contextSize: number | null;
  /** Prompts that a context gets in one call. */
  readonly sequences: number;
  /** Absent: always. */
  readonly company?: Company;
  /**
   * Most tokens that all sequences of a context may hold together: long prompts get fewer sequences. Absent: no limit.
   */
  readonly cells?: number;
  /** Contexts of the model; two let one decode while the other's logits are read. */
  readonly contexts: number;
  /** Contexts that compute at a time, while the logits of the others are read and sent; absent: all of them. */
  readonly atOnce?: number;
  /** Most tokens of one decode. */
  readonly batchSize: number;
  readonly threads: number;
  /** A model is stopped when a larger share of its evaluated rows fails; absent: MAX_FAILED_SHARE. */
  readonly maxFailedShare?: number;
  /**
   * Only every `count`th batch is scored, from `index` on, of those that all prompts were put into; absent: all of
   * them.
   */
  readonly share?: Share;
}

/** One of several children that score the same prompts. */
export interface Share {
  readonly index: number;
  readonly count: number;
  /**
   * Other orders of options are scored together with their plain prompts or not at all: plain rows that they build on
   * are still to come from another child. Absent: by themselves, too.
   */
  readonly ordersWithPlainOnly?: boolean;
}

/** A shape in which some of the prompts are scored to see how long that takes. */
export interface Trial extends Pick<WorkerPlan, 'contexts' | 'sequences' | 'batchSize'> {
  /** How long prompts of each kind are evaluated, in milliseconds; two batches for each context at least. */
  readonly ms: number;
}

/** What a trial came to (`timeWaves`). */
export interface TrialTime {
  /** All rows of the model, and the time that they would take. */
  readonly rows: number;
  readonly seconds: number;
  /** Why a run would stop the model: too many of the rows that were evaluated failed; null: they did not. */
  readonly fault: string | null;
}

/** Two jobs of one data set by their numbers: plain prompts, and the orders 2 to K of their options. */
export interface OtherOrders {
  readonly plain: number;
  readonly orders: number;
}

/**
 * Tokens of some prompts (`packPrompts`): to the parent when a child has made them, and from there to every child that
 * tokenises the same prompts, before `start` or after it. They may be left out, come late or never.
 */
export interface TokensMessage {
  readonly kind: 'tokens';
  /** Chunks are numbered over the prompts of all jobs in their order. */
  readonly chunk: number;
  readonly packed: Uint32Array;
}

/** One prompt on its way to the worker; `ExamplePrompt` of the data sets has this shape. */
export interface WirePrompt {
  readonly id: string;
  readonly text: string;
  readonly mode: 'letter' | 'text' | 'rotations' | 'reply';
  readonly reply?: ReplyRequest;
  readonly continuations: readonly string[];
  readonly rotations?: readonly RotatedPrompt[];
  readonly textScore?: TextScore;
  readonly answerPrefix: string | null;
}

/**
 * Parent to child, per model and in this order: load, prompts (many), start; then one ack per `rows`; stop at any
 * time. After `done` or `failed` the child takes the next model.
 */
export type ToWorker =
  /** Before there is a model: one will come that computes on the device, with so many threads as far as is known. */
  | { readonly kind: 'prepare'; readonly device: Device; readonly threads: number }
  | {
      readonly kind: 'load';
      readonly plan: WorkerPlan;
      /** Loads the vocabulary first and tokenises the prompts while the weights are loaded. Absent: afterwards. */
      readonly tokeniseMeanwhile?: boolean;
    }
  | {
      readonly kind: 'prompts';
      readonly job: number;
      readonly prompts: readonly WirePrompt[];
      /** Ids of those that only fill batches up and get no row. */
      readonly skipped?: readonly string[];
    }
  /** Two prompts of the whole data set whose common beginning all its prompts share. */
  | { readonly kind: 'sharing'; readonly job: number; readonly prompts: readonly WirePrompt[] }
  | {
      readonly kind: 'start';
      /** The child tells what it has tokenised, since others tokenise the same prompts. Absent: nobody does. */
      readonly sharesTokens?: boolean;
      /**
       * Jobs with the other orders of the options of a plain job: where both have a prompt with the same id, the two
       * are evaluated together if that leaves the numbers as they are. Absent: none.
       */
      readonly otherOrders?: readonly OtherOrders[];
    }
  | TokensMessage
  /**
   * In place of `prompts` and `start`: the model stays until `stop`, and prompts are scored as they are asked, with
   * neither jobs nor acks. `longest` are the tokens that one of them may have; `sharing` as in the message of that
   * name.
   */
  | { readonly kind: 'stay'; readonly longest: number; readonly sharing: readonly WirePrompt[] }
  /**
   * In place of `start`: the prompts are scored for the sake of time alone, once for each `trial` that follows, and no
   * row is sent, until `stop`.
   */
  | { readonly kind: 'tune'; readonly otherOrders?: readonly OtherOrders[] }
  | { readonly kind: 'trial'; readonly trial: Trial }
  /** Prompts for a model that stays. Their ids differ from those of all that still wait. */
  | { readonly kind: 'ask'; readonly prompts: readonly WirePrompt[] }
  /** The rows of one message are safe; the child may evaluate more. */
  | { readonly kind: 'ack' }
  /** Deliver what is in hand, then end. */
  | { readonly kind: 'stop' };

/** Child to parent. */
export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'loaded'; readonly facts: ModelFacts }
  /** Sent before a batch is evaluated, so that the parent can name it if the process dies. */
  | { readonly kind: 'batch'; readonly job: number; readonly ids: readonly string[]; readonly tokens: number }
  | { readonly kind: 'rows'; readonly job: number; readonly rows: readonly ModelRow[]; readonly tokens: number }
  | { readonly kind: 'log'; readonly level: 'info' | 'warn' | 'error'; readonly text: string }
  /** A sign of life from inside long work before the first batch: "tokenising". */
  | { readonly kind: 'progress'; readonly what: string }
  | TokensMessage
  /** The answer to a `trial`; null: there is no memory for as many such contexts. */
  | { readonly kind: 'tried'; readonly time: TrialTime | null }
  /** The model cannot be scored, whatever the settings. */
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'done'; readonly stopped: boolean };

/**
 * Ends a `switch` over the kinds of messages: does not compile while a kind has no case, and refuses what is no
 * message.
 */
export function neverAMessage(message: never): never {
  throw new Error(`a message of an unknown kind: ${JSON.stringify(message)}`);
}
