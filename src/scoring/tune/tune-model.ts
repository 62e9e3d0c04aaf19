import type { ModelJob } from '../../contract/scorer.js';
import { planInShape } from '../../engine/protocol/context-size.js';
import type { WorkerPlan } from '../../engine/protocol/protocol.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { fitPlan } from '../memory/fit-plan.js';
import { workerSlot } from '../process/worker-slot.js';
import { type FoundShape, MOST_CONTEXTS, type Shape, searchShape } from './search-shape.js';
import { openTrials, type TrialTalk } from './trial-talk.js';

export interface TuneOptions {
  readonly backendModule: string;
  /** Bytes that are free on the card before the model is on it; null: unknown. */
  readonly free: number | null;
  /** The variables that say which card its child may see. */
  readonly visible?: Record<string, string>;
  readonly signal?: AbortSignal | undefined;
  /** Called after each trial; `rate`: rows a second, null: no memory for that shape. */
  readonly onTrial?: (shape: Shape, rate: number | null) => void;
  /** For tests: how long a trial must take to tell shapes apart, in milliseconds. */
  readonly leastMs?: number | undefined;
}

export type Tuned = { readonly kind: 'found'; readonly found: FoundShape } | Untuned;

export interface Untuned {
  readonly kind: 'none';
  readonly reason: string;
}

/** How long a trial shall take in the given shape, and at most. */
const TRIAL_MS = 2500;
const MOST_MS = 20_000;
/** Batches that each context of the given shape shall have in a trial: its last ones count in part alone. */
const LEAST_BATCHES = 3;
/** A shorter one tells no differences. */
const LEAST_MS = 600;
/** Rows of the trial that says how many a trial of `TRIAL_MS` has. */
const FIRST_ROWS = 256;

/**
 * Looks for the fastest shape of a model with the prompts that it is really asked, on one card, in one child process
 * that loads it once. Settings that models.yaml says stay as they are.
 */
export async function tuneModel(job: ModelJob, plan: WorkerPlan, options: TuneOptions): Promise<Tuned> {
  const { backendModule, free, visible, signal, leastMs = LEAST_MS, onTrial = () => {} } = options;
  const slot = workerSlot(backendModule, plan.device !== 'cpu', () => {}, visible);
  const stop = () => void slot.kill();
  signal?.addEventListener('abort', stop, { once: true });
  // With the threads of as many contexts as are tried: the library lets no more compute at a time.
  const talk = openTrials(job, { ...plan, contexts: MOST_CONTEXTS }, slot);
  try {
    const given: Shape = { contexts: plan.contexts, sequences: plan.sequences, batchSize: plan.batchSize };
    const step = await stepFor(job, given, { talk, leastMs });
    if (typeof step !== 'number') return step;
    const measure = async (shape: Shape) => {
      const fits = await fitPlan(job, planInShape(plan, shape), { freeMemory: async () => free, backendModule });
      const isWhole =
        fits.kind === 'fits' && fits.plan.contexts === shape.contexts && fits.plan.sequences === shape.sequences;
      const time = isWhole ? await talk.attempt({ ...shape, step, mostMs: MOST_MS }) : null;
      const rate = time === null || time.contexts < shape.contexts ? null : time.rows / time.seconds;
      onTrial(shape, rate);
      return rate;
    };
    const found = await searchShape(given, fixedBy(job), measure);
    return found === null ? none('there is no memory for its contexts') : { kind: 'found', found };
  } catch (error) {
    if (signal?.aborted) throw new SupportCalError('interrupted', 'the search for a faster shape was interrupted');
    if (!(error instanceof SupportCalError)) throw error;
    return none(error.message);
  } finally {
    signal?.removeEventListener('abort', stop);
    await talk.end();
  }
}

function none(reason: string): Untuned {
  return { kind: 'none', reason };
}

function fixedBy({ model: { scoring = {} } }: ModelJob): Set<keyof Shape> {
  return new Set((['contexts', 'sequences', 'batchSize'] as const).filter((name) => scoring[name] !== undefined));
}

/** Every how manyth prompt makes a trial of about `TRIAL_MS`; why shapes cannot be told apart. */
async function stepFor(
  { jobs }: ModelJob,
  given: Shape,
  { talk, leastMs }: { readonly talk: TrialTalk; readonly leastMs: number },
): Promise<number | Untuned> {
  const total = jobs.reduce((sum, { prompts }) => sum + prompts.length, 0);
  const stepOf = (rows: number) => Math.max(1, Math.floor(total / rows));
  let step = stepOf(FIRST_ROWS);
  for (;;) {
    const time = await talk.attempt({ ...given, step, mostMs: MOST_MS });
    if (time === null) return none('there is no memory for its contexts');
    const ms = Math.max(1, 1000 * time.seconds);
    const more = Math.max(TRIAL_MS / ms, (LEAST_BATCHES * given.contexts) / Math.max(1, time.batches));
    const isEnough = step === 1 || !time.whole || more <= 1.5;
    if (isEnough && ms < leastMs)
      return none(`its ${total} prompts take ${(ms / 1000).toFixed(2)} s, too short a time to tell shapes apart`);
    if (isEnough) return step;
    step = Math.max(1, Math.min(step - 1, stepOf((total / step) * more)));
  }
}
