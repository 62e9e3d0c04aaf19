import type { ExamplePrompt } from '../contract/prompt.js';
import type { ScoringJob } from '../contract/scorer.js';

/** Rows `from` up to, and without, `to` of one job of a model. */
export interface RangeOfRows {
  readonly job: number;
  readonly from: number;
  readonly to: number;
  /** About what its prompts take on the way. */
  readonly bytes: number;
}

export interface RangeLimits {
  readonly rows: number;
  readonly bytes: number;
}

/** As many rows as a GPU evaluates in one batch, and no message much larger than a picture. */
export const RANGE_LIMITS: RangeLimits = { rows: 64, bytes: 256 * 1024 };

/**
 * Divides what is to be scored into ranges, in two waves: rows of rotated options may come only after all others, which
 * they are completed from. A prompt that is larger than a range may be has one to itself.
 */
export function planRanges(jobs: readonly ScoringJob[], limits: RangeLimits = RANGE_LIMITS): RangeOfRows[][] {
  const waves: RangeOfRows[][] = [[], []];
  for (const [job, { prompts }] of jobs.entries()) {
    const isRotated = prompts.some(({ mode }) => mode === 'rotations');
    waves[isRotated ? 1 : 0]?.push(...rangesOf(job, prompts, limits));
  }
  return waves.filter((wave) => wave.length > 0);
}

function* rangesOf(job: number, prompts: readonly ExamplePrompt[], limits: RangeLimits): Generator<RangeOfRows> {
  let from = 0;
  let bytes = 0;
  for (const [n, prompt] of prompts.entries()) {
    const size = sizeOf(prompt);
    if (n > from && (n - from >= limits.rows || bytes + size > limits.bytes)) {
      yield { job, from, to: n, bytes };
      from = n;
      bytes = 0;
    }
    bytes += size;
  }
  if (prompts.length > from) yield { job, from, to: prompts.length, bytes };
}

function sizeOf({ id, text, continuations, rotations = [], reply, textScore }: ExamplePrompt): number {
  const texts = [id, text, ...continuations, ...(reply?.options ?? [])];
  const rotated = rotations.flatMap((each) => [each.text, ...each.continuations]);
  const pmi = textScore?.normalize === 'pmi' ? textScore.pmiPrompt.length : 0;
  return [...texts, ...rotated].reduce((sum, each) => sum + each.length + 8, 200 + pmi);
}
