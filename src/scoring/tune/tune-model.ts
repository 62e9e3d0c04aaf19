import type { ModelJob } from '../../contract/scorer.js';
import { planInShape } from '../../engine/protocol/context-size.js';
import type { TrialTime, WorkerPlan } from '../../engine/protocol/protocol.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { fitPlan } from '../memory/fit-plan.js';
import { lookInto } from '../memory/look-into.js';
import { workerSlot } from '../process/worker-slot.js';
import { type FoundShape, MOST_CONTEXTS, type Shape, searchShape } from './search-shape.js';
import { openTrials } from './trial-talk.js';

export interface TuneOptions {
  readonly backendModule: string;
  /** Bytes that are free on the card before the model is on it; null: unknown. */
  readonly free: number | null;
  /** The variables that say which card its child may see. */
  readonly visible?: Record<string, string>;
  readonly signal?: AbortSignal | undefined;
  /** Called after each trial with what it measured (`Measure`). */
  readonly onTrial?: (shape: Shape, rate: number | null) => void;
  /** For tests: how long the prompts must take to tell shapes apart, in milliseconds. */
  readonly leastMs?: number | undefined;
}

export type Tuned = { readonly kind: 'found'; readonly found: FoundShape } | Untuned;

export interface Untuned {
  readonly kind: 'none';
  readonly reason: string;
}

/** How long prompts of each kind are evaluated in a trial. */
const TRIAL_MS = 1500;
/** Prompts that take less than this tell no shapes apart. */
const LEAST_MS = 600;

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
  const file = lookInto(job, backendModule);
  try {
    const given: Shape = { contexts: plan.contexts, sequences: plan.sequences, batchSize: plan.batchSize };
    const attempt = async (shape: Shape) => await talk.attempt({ ...shape, ms: TRIAL_MS });
    const first = await attempt(given);
    if (first === null) return none('there is no memory for its contexts');
    if (1000 * first.seconds < leastMs)
      return none(
        `its ${first.rows} prompts take ${first.seconds.toFixed(2)} s, too short a time to tell shapes apart`,
      );
    let known: TrialTime | null = first;
    const measure = async (shape: Shape) => {
      const fits = await fitPlan(job, planInShape(plan, shape), {
        freeMemory: async () => free,
        backendModule,
        look: file.look,
      });
      const isWhole =
        fits.kind === 'fits' && fits.plan.contexts === shape.contexts && fits.plan.sequences === shape.sequences;
      const time = isWhole ? (known ?? (await attempt(shape))) : null;
      known = null;
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
    await Promise.all([talk.end(), file.end()]);
  }
}

function none(reason: string): Untuned {
  return { kind: 'none', reason };
}

function fixedBy({ model: { scoring = {} } }: ModelJob): Set<keyof Shape> {
  return new Set((['contexts', 'sequences', 'batchSize'] as const).filter((name) => scoring[name] !== undefined));
}
