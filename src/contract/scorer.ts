import type { ModelSpec } from '../config/models-schema.js';
import type { Device } from './device.js';
import type { ModelContent } from './model-content.js';
import type { GgufPlace, ModelPlace } from './model-place.js';
import type { ExamplePrompt } from './prompt.js';
import type { ModelRow, ScoredRow } from './scored-row.js';

export type FlashAttention = 'auto' | 'on' | 'off';

/** What the loaded model and its settings turned out to be; recorded in the cache manifest and the report. */
export interface ModelFacts {
  readonly architecture: string;
  /** In the manifests of the cache under this name since their first version. */
  readonly backend: Device | 'endpoint';
  readonly device: string;
  readonly bos: boolean;
  readonly bosReason: string;
  readonly chatTemplate: string | null;
  readonly contextSize: number;
  readonly sequences: number;
  readonly batchSize: number;
  readonly threads: number;
  /** As the context has it: what `auto` came to is known by then. */
  readonly flashAttention: 'on' | 'off';
  /** Lines that the native library warned about while loading. */
  readonly warnings: readonly string[];
  /** Prompts of one batch, alone against in the batch; absent when not compared. */
  readonly selfCheck?: {
    /** Largest difference of an option logit. */
    readonly maxDifference: number;
    readonly tolerance: number;
    /**
     * Compared prompts, and those whose first option is another one; absent in the oldest entries, which compared one.
     */
    readonly compared?: number;
    readonly flips?: number;
    /** Largest difference of an option logit of a prompt as a whole and after kept tokens; absent: none were kept. */
    readonly keptTokens?: number;
  };
  /** In entries of rotated options whose first order was not evaluated: its scores are the plain ones. */
  readonly firstOrder?: 'plain';
  /** Rows that were found in entries of other versions of the data set, and not scored for this one; absent: none. */
  readonly takenOver?: ReadonlyArray<{ readonly entry: string; readonly rows: number }>;
}

/** All prompts of one data set that one model still has to score. */
export interface ScoringJob {
  readonly dataset: string;
  readonly prompts: readonly ExamplePrompt[];
  /**
   * `plain`: plain prompts. `other-orders`: the orders 2 to K of the options; the first order is the prompt with the
   * same id of the plain job of the data set. Where both are scored together, a row of the other orders may come with
   * the first one in front (`withFirstOrder`). Absent: anything else.
   */
  readonly asks?: 'plain' | 'other-orders';
  /**
   * `sharedBeginning` of all prompts of the data set, those that are scored already included, so that a resumed run
   * evaluates its rows in the same way; left out: that of `prompts`.
   */
  readonly sharing?: readonly [ExamplePrompt, ExamplePrompt] | null;
  /**
   * Ids of prompts that get no row: they are put into batches with the others, so that each batch is the one in which
   * all prompts would be scored, and a batch of nothing else is left out. Absent: none.
   */
  readonly skipped?: ReadonlySet<string>;
  /**
   * Called with finished rows in small groups, in the order they finish. No further batch is begun in their context
   * before the promise resolves: the rows must then be safe from a kill.
   */
  readonly onRows: (rows: readonly ScoredRow[], facts: ModelFacts) => Promise<void>;
  /** Takes the place of `onRows` where the prompts ask for replies. */
  readonly onReplies?: (rows: readonly ModelRow[], facts: ModelFacts) => Promise<void>;
}

/** One model with everything it has to score: loaded once, all its data sets scored, then unloaded. */
export interface ModelJob<Place extends ModelPlace = GgufPlace> {
  readonly model: ModelSpec;
  readonly place: Place;
  /** By what another machine finds the model; absent: nobody but this machine scores it. */
  readonly content?: ModelContent;
  /**
   * No row of a job with rotated options comes before all rows of the plain prompts have been handed over, unless it
   * brings the first order of its options itself.
   */
  readonly jobs: readonly ScoringJob[];
}

export type ModelOutcome =
  | {
      readonly kind: 'done';
      readonly model: string;
      readonly facts: ModelFacts;
      readonly seconds: number;
      readonly tokens: number;
    }
  | {
      readonly kind: 'failed';
      readonly model: string;
      readonly reason: string;
      /** With so many sequences it can be scored, whose rows have another key; absent: that is not the reason. */
      readonly fits?: number;
      /** Reasons of data sets on which alone it was left out; `reason` is that of the others, if they have one. */
      readonly leftOut?: Readonly<Record<string, string>>;
    };

export interface ScoringSettings {
  /** The device that `resolveDevice` found; fixed before any cache key is made. */
  readonly device: Device;
  /** Physical cores to use. */
  readonly cores: number;
  /** Numbers of the cards to use, where the device has several; absent: all. */
  readonly devices?: readonly number[];
  readonly signal?: AbortSignal;
  /** Served models with a price are not asked when their rows would cost more than this together. */
  readonly maxCost?: number;
}

export interface ScoringEvents {
  onModelStart?(model: string, rows: number): void;
  onRows?(model: string, dataset: string, rows: number, tokens: number): void;
  onModelEnd?(outcome: ModelOutcome): void;
  onLog?(level: 'info' | 'warn' | 'error', message: string): void;
}

/** A job whose model may be anywhere. */
export type AnyModelJob = ModelJob<ModelPlace>;

/** Scores models: `scoreModels`, or what a program puts in its place. See there for what it must do. */
export type Scorer = (
  jobs: readonly AnyModelJob[],
  settings: ScoringSettings,
  events: ScoringEvents,
) => Promise<ModelOutcome[]>;
