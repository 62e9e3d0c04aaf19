import type { ReadyPrompt } from '../encode/encoded-prompt.js';

/** A prompt and the job that its row belongs to. */
export interface JobPrompt {
  readonly job: number;
  readonly prompt: ReadyPrompt;
  /** Tokens that are evaluated for it; what prompts of one sequence have in common counts for the first of them. */
  readonly tokens: number;
}

/**
 * Prompts that take one sequence together: all replies to one prompt; a plain prompt and the other orders of its
 * options; any other prompt alone.
 */
export type JobGroup = readonly [JobPrompt, ...JobPrompt[]];
