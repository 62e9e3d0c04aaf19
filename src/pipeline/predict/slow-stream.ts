import type { ExamplePrompt } from '../../contract/prompt.js';
import type { ScoredRow } from '../../contract/scored-row.js';
import type { ModelJob, ScoringEvents, ScoringSettings } from '../../contract/scorer.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import type { ScoringEngine } from '../../scoring/pool-maker.js';
import { type StayingModel, stayingModel } from '../../scoring/staying-model.js';

/** A stream whose questions come a few at a time, answered by a model that stays loaded. */
export interface SlowStream {
  /** One row for each prompt, in their order; null: these prompts are for the runner, and the model is not loaded. */
  score(prompts: readonly ExamplePrompt[]): Promise<ScoredRow[] | null>;
  /** Notes how long prompts are that the runner scored. */
  seen(rows: Iterable<ScoredRow>): void;
  close(): Promise<void>;
}

/** So many questions together are few: loading the model would take longer than they do. */
const FEW = 256;
/** Tokens for which there is always room; else there is room for prompts twice as long as the longest before. */
const LEAST_TOKENS = 512;

/**
 * The first group is never taken, since it may be all that comes. A group with a row that cannot be scored here (too
 * long, a child that died) is given back whole: the runner has more room and tries again.
 */
export function slowStream(
  job: Pick<ModelJob, 'model' | 'place'>,
  settings: ScoringSettings & { readonly signal: AbortSignal },
  { events, engine }: { readonly events: ScoringEvents; readonly engine: ScoringEngine },
): SlowStream {
  let staying: StayingModel | null = null;
  let longest = 0;
  const leave = async () => {
    const open = staying;
    staying = null;
    await open?.close();
  };
  return {
    async score(prompts) {
      if (longest === 0 || prompts.length > FEW) {
        await leave();
        return null;
      }
      const options = { longest: Math.max(LEAST_TOKENS, 2 * longest), sharing: [] };
      staying ??= stayingModel(job, settings, options, { events, engine });
      const rows = await unlessAborted(staying.score(prompts), settings.signal);
      if (rows?.every(({ status }) => status === 'ok')) return rows;
      await leave();
      return null;
    },
    seen(rows) {
      for (const { promptTokens } of rows) longest = Math.max(longest, promptTokens);
    },
    close: leave,
  };
}

/** null: they could not be scored. */
async function unlessAborted(scoring: Promise<ScoredRow[]>, signal: AbortSignal): Promise<ScoredRow[] | null> {
  try {
    return await scoring;
  } catch (error) {
    if (signal.aborted || !(error instanceof SupportCalError)) throw error;
    return null;
  }
}
