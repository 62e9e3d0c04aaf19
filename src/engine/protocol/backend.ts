import type { KvType } from '../../config/models-schema.js';
import type { Device } from '../../contract/device.js';
import type { MemoryNeeds } from '../../contract/inspection.js';
import type { Adapter } from '../../contract/model-place.js';
import type { FlashAttention } from '../../contract/scorer.js';
import type { TokenTree } from './token-tree.js';

/** A token that only a template may write, never the text of a question. */
export interface ControlToken {
  readonly id: number;
  readonly text: string;
  /** White space before (after) the token belongs to it. */
  readonly stripsLeft: boolean;
  readonly stripsRight: boolean;
}

export interface Tokenize {
  (plainText: string): number[];
  /**
   * Tokens of `text` with each of `endings` after it, the same as of the joined texts; absent: joined and tokenised one
   * by one.
   */
  readonly endings?: (text: string, endings: readonly string[]) => number[][];
}

/** What the file says about itself. */
export interface ModelInfo {
  readonly architecture: string;
  readonly device: string;
  readonly chatTemplate: string | null;
  /** Context the model was trained on, in tokens. */
  readonly trainContextSize: number;
  readonly vocabularyType: string;
  /** `tokenizer.ggml.model`, such as "gpt2" or "llama"; null when the file lacks it. */
  readonly tokenizerModel: string | null;
  /** `tokenizer.ggml.pre`, or what models.yaml put in its place; null when neither says. */
  readonly preTokenizer: string | null;
  readonly bos: { readonly id: number; readonly text: string } | null;
  readonly eosText: string;
  /** `tokenizer.ggml.add_bos_token`; null when the file lacks it. */
  readonly addBosKey: boolean | null;
  /** What llama.cpp does with this vocabulary when nobody tells it. */
  readonly addBosDefault: boolean;
  /** Whether a sequence can be cut back to an earlier token; a recurrent state cannot. */
  readonly rewinds: boolean;
  /**
   * Whether a prompt has the same numbers in every company of two and more, on a CPU; absent: unknown, so it has not.
   */
  readonly exactInCompany?: boolean;
  /** Whether these are the numbers that it has by itself as well; absent: unknown, so they are not. */
  readonly exactAlone?: boolean;
}

export interface LoadRequest {
  readonly modelPath: string;
  readonly device: Device;
  readonly threads: number;
  /** Pre-tokenizer to use whatever the file says. */
  readonly preTokenizer?: string;
  /** Layers on the GPU; absent: all. */
  readonly gpuLayers?: number | 'max';
  /** Only the vocabulary and the facts of the file: no weights, no context. */
  readonly vocabOnly?: boolean;
  readonly onLog: (level: 'info' | 'warn' | 'error', text: string) => void;
}

export interface ContextRequest {
  readonly contextSize: number;
  readonly sequences: number;
  /**
   * Prompts that a call may bring, whose numbers are those of a pass of their own: one after the other, or, with
   * several sequences, short ones together; absent: one a sequence.
   */
  readonly inTurn?: number;
  readonly batchSize: number;
  readonly threads: number;
  /** Adapters that are put on the model. */
  readonly lora?: readonly Adapter[];
  /** Number type of the KV cache; absent: f16. */
  readonly kvType?: KvType;
  /** Absent: off. */
  readonly flashAttention?: FlashAttention;
}

/** One prompt for `evaluate`: logits of `optionIds` are wanted after the last of `tokens`. */
export interface EvaluationRow {
  readonly tokens: readonly number[];
  readonly optionIds: readonly number[];
}

/** Logits at one position of a sequence. */
export interface Reading {
  /** In the order of the ids that were asked for; undefined where the backend gave none. */
  readonly logits: readonly (number | undefined)[];
  /** Logit of the most probable token, and the sum of exp(logit - that) over the vocabulary; NaN where not given. */
  readonly maxLogit: number;
  readonly totalWeight: number;
}

type EvaluationError = { readonly kind: 'error'; readonly message: string };

export type Evaluation = ({ readonly kind: 'logits' } & Reading) | EvaluationError;

/**
 * Prompts that begin alike for `evaluateTails`: option logits are wanted at the end of each of `tails` after `tokens`.
 */
export interface TailsRow {
  /** The stem, at least one token. */
  readonly tokens: readonly number[];
  /** At least one token each. */
  readonly tails: readonly EvaluationRow[];
}

export type TailsEvaluation =
  /** One per tail. */
  { readonly kind: 'readings'; readonly readings: readonly Reading[] } | EvaluationError;

/** One prompt for `evaluateTexts`: log-probabilities of every token of `continuations` are wanted after `tokens`. */
export interface TextRow {
  readonly tokens: readonly number[];
  readonly continuations: readonly (readonly number[])[];
}

export type TextEvaluation =
  | {
      readonly kind: 'logProbs';
      /** Per continuation and token, ln p(token | all before it); undefined where the backend gave none. */
      readonly logProbs: readonly (readonly (number | undefined)[])[];
    }
  | EvaluationError;

/** How one reply is drawn. */
export interface Sample {
  readonly seed: number;
  /** 0: the most probable token, always; else the whole distribution is sampled, nothing cut off. */
  readonly temperature: number;
}

/** Replies to one prompt for `generate`, one per sample. */
export interface GenerationRow {
  /** The prompt, at least one token. */
  readonly tokens: readonly number[];
  readonly samples: readonly Sample[];
  readonly maxTokens: number;
  /**
   * Every reply that is allowed: where they differ, the probabilities of the tokens that lead on, renormalised, decide.
   * null: free text.
   */
  readonly form: TokenTree | null;
}

export type Generation =
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly tokens: number;
      /** The model (or the form) ended the reply; otherwise it was cut at `maxTokens`. */
      readonly ended: boolean;
      /** Only where the reply has a form; see `ReplyRow`. */
      readonly allowedMass?: number;
    }
  | EvaluationError;

export interface EvaluationContext {
  /** Gives the memory back; absent: when the model is closed. */
  close?(): Promise<void>;
  /** Prompts that a call may bring. */
  readonly sequences: number;
  /** Whether each of them has the numbers of a pass of its own; absent: they share passes. */
  readonly inTurn?: boolean;
  /** From now on each of them really has one; absent: each has. */
  apart?(): void;
  /** Whether prompts with branches fill all sequences, in more passes than one; absent: a call is what one holds. */
  readonly fills?: boolean;
  /** Tokens that one sequence really has, which may differ from the size that was asked for. */
  readonly tokensPerSequence: number;
  readonly batchSize: number;
  /**
   * Evaluates up to `sequences` prompts; the result stands in the order of the rows. All rows begin with the
   * tokens `shared` and go on after them; what was evaluated of them for the same (identical) array may be used again.
   */
  evaluate(rows: readonly EvaluationRow[], shared?: readonly number[]): Promise<Evaluation[]>;
  /** Evaluates whole texts: each prompt once, its continuations branch from it. `shared` is as in `evaluate`. */
  evaluateTexts(rows: readonly TextRow[], shared?: readonly number[]): Promise<TextEvaluation[]>;
  /** Evaluates stems with tails: each stem once, its tails branch from it one after the other. */
  evaluateTails(rows: readonly TailsRow[], shared?: readonly number[]): Promise<TailsEvaluation[]>;
  /**
   * Writes the replies of up to `sequences` prompts together; per row one per sample. Rows have all a form, or none.
   */
  generate(rows: readonly GenerationRow[], shared?: readonly number[]): Promise<Generation[][]>;
}

export interface MemoryRequest extends ContextRequest {
  readonly contexts: number;
  /** The one that is asked for, whatever the model is loaded on now. */
  readonly device: Device;
  readonly gpuLayers?: number | 'max';
  /** The most places of one pass whose logits are read. */
  readonly places: number;
}

export interface LoadedModel {
  readonly info: ModelInfo;
  readonly tokenize: Tokenize;
  /**
   * Whether no token reaches from a line into the first letter of the next one, and a line is tokenised the same
   * whatever stands on the lines before it; absent: unknown, so it is not relied on.
   */
  keepsLinesApart?(): boolean;
  /** The most bytes of each kind that one token stands for (`tokenReach`); absent or null: unknown. */
  tokenReach?(): readonly [number, number, number, number] | null;
  /** Equal for files whose vocabularies and templates make the same tokens of every text; absent: unknown. */
  tokenizerKey?(): string;
  controlTokens(): ControlToken[];
  /** Text of tokens, control tokens included. */
  detokenize(tokens: readonly number[]): string;
  /** Estimate of llama.cpp for the file and its contexts, all layers on one device. */
  memoryNeeds(request: MemoryRequest): Promise<MemoryNeeds>;
  openContext(request: ContextRequest): Promise<EvaluationContext>;
  close(): Promise<void>;
}

/** The door to the native library; tests put a stub in its place. */
export interface Backend {
  /**
   * Starts what models of a device have in common, before one is named: the next `load` waits for it. What fails here
   * fails again there. Absent: there is nothing to start.
   */
  prepare?(request: Pick<LoadRequest, 'device' | 'threads'>): Promise<void>;
  load(request: LoadRequest): Promise<LoadedModel>;
  /** Frees what outlives a model; nothing is loaded afterwards. */
  shutdown(): Promise<void>;
}
