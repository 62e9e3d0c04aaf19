import type { ModelJob } from '../../contract/scorer.js';
import type { TrialTime } from '../../engine/protocol/protocol.js';
import type { Shape } from './search-shape.js';
import type { TrialTalk } from './trial-talk.js';

/** How long a trial shall take in the given shape, and at most. */
const TRIAL_MS = 1500;
const MOST_MS = 20_000;
/** Batches that each context of the given shape shall have in a trial, whose last ones count in part alone. */
const LEAST_BATCHES = 2;
/** Rows of the trial that says how many a trial of `TRIAL_MS` has. */
const FIRST_ROWS = 256;

export interface FirstTrial {
  /** Every `step`th prompt is scored in a trial. */
  readonly step: number;
  /** What the given shape came to with these. */
  readonly time: TrialTime;
}

/**
 * Finds how many prompts a trial has: some `TRIAL_MS` of them in the given shape, more where its contexts would have
 * fewer than `LEAST_BATCHES`, fewer where they take longer than `MOST_MS`.
 *
 * @param leastMs a trial that is shorter tells no differences
 * @returns why shapes cannot be told apart, in words, where they cannot
 */
export async function firstTrial(
  { jobs }: Pick<ModelJob, 'jobs'>,
  given: Shape,
  { talk, leastMs }: { readonly talk: Pick<TrialTalk, 'attempt'>; readonly leastMs: number },
): Promise<FirstTrial | string> {
  const total = jobs.reduce((sum, { prompts }) => sum + prompts.length, 0);
  const stepOf = (rows: number) => Math.max(1, Math.floor(total / rows));
  let step = stepOf(FIRST_ROWS);
  // More prompts than were whole in time are not asked for again.
  let wasCut = false;
  for (;;) {
    const time = await talk.attempt({ ...given, step, mostMs: MOST_MS });
    if (time === null) return 'there is no memory for its contexts';
    if (!time.whole) {
      if (step >= total) return `one of its prompts takes longer than ${MOST_MS / 1000} s`;
      wasCut = true;
      step = Math.min(total, 4 * step);
      continue;
    }
    const ms = Math.max(1, 1000 * time.seconds);
    const more = Math.max(TRIAL_MS / ms, (LEAST_BATCHES * given.contexts) / Math.max(1, time.batches));
    const isEnough = step === 1 || wasCut || more <= 1.5;
    if (isEnough && ms < leastMs)
      return `its ${total} prompts take ${(ms / 1000).toFixed(2)} s, too short a time to tell shapes apart`;
    if (isEnough) return { step, time };
    step = Math.max(1, Math.min(step - 1, stepOf((total / step) * more)));
  }
}
