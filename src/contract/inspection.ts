import type { ExamplePrompt } from './prompt.js';

/** Bytes that a model needs. */
export interface MemoryNeeds {
  readonly weights: number;
  readonly kvCache: number;
  readonly compute: number;
}

/** What a model makes of one set of prompts. */
export interface PromptCounts {
  /**
   * Tokens that a sequence must hold for the longest: with its longest option in text mode, with room for its reply.
   */
  readonly longest: number;
  /** Tokens that are evaluated for the shortest; 0: there is none. */
  readonly shortest: number;
  /** To evaluate: what the orders of options begin with, and the prompt of several replies, counts once. */
  readonly tokens: number;
  /** Prompts that cannot be scored. */
  readonly refused: number;
  readonly firstRefusal: string | null;
}

/** The token of the label "A" in its place, or why it is not one token there. */
export type LabelToken = { readonly id: number; readonly piece: string } | { readonly refused: string };

/** Whether a model's vocabulary tells " A" from "A" after a prompt, and which of them is scored. */
export interface SpacingCheck {
  readonly withSpace: LabelToken;
  readonly withoutSpace: LabelToken;
  /** What is scored by the data set's rule. */
  readonly used: LabelToken;
}

/** What a model's file says and makes of the prompts; no weights are loaded for it. */
export interface InspectedModel {
  readonly architecture: string;
  readonly vocabularyType: string;
  readonly preTokenizer: string | null;
  readonly trainContextSize: number;
  readonly bos: { readonly add: boolean; readonly reason: string; readonly id: number | null };
  readonly chatTemplate: string | null;
  readonly warnings: readonly string[];
  /** Tokens that a sequence must hold for the longest prompt of all jobs. */
  readonly longest: number;
  /** One per job. */
  readonly counts: readonly PromptCounts[];
  readonly spacing: SpacingCheck;
  /** Tokens per sequence and sequences that scoring would ask for, and the memory of all its contexts. */
  readonly contextSize: number;
  readonly sequences: number;
  readonly memory: MemoryNeeds;
}

/** A prompt as a model gets it, in tokens. */
export interface InspectedPrompt {
  readonly id: string;
  readonly mode: ExamplePrompt['mode'];
  /** Tokens that are evaluated before the options; empty where refused. */
  readonly tokens: readonly number[];
  /** In option order; one token each in letter mode. */
  readonly options: ReadonlyArray<{ readonly text: string; readonly tokens: readonly number[] }>;
  readonly refused: string | null;
  /** The tokens as text, control tokens visible, and piece by piece; only where they were asked for. */
  readonly text?: string;
  readonly pieces?: readonly string[];
  readonly optionPieces?: ReadonlyArray<readonly string[]>;
}
