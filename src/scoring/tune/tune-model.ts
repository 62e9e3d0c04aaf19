import type { ModelJob } from '../../contract/scorer.js';
import { planInShape } from '../../engine/protocol/context-size.js';
import type { WorkerPlan } from '../../engine/protocol/protocol.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { fitPlan } from '../memory/fit-plan.js';
import { lookInto } from '../memory/look-into.js';
import { workerSlot } from '../process/worker-slot.js';
import { type FoundShape, MOST_CONTEXTS, type Shape, saidOf, searchShape, shapeOf } from './search-shape.js';
import { openTrials, type TrialTalk } from './trial-talk.js';
import { misfit, NO_MEMORY, untold } from './why-untuned.js';

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
  /** For tests: `SEARCH_MS`. */
  readonly searchMs?: number | undefined;
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
/** No further shape is tried so long after the first trial: each may take most of a minute with a large model. */
const SEARCH_MS = 45_000;
/** The process may end in so many trials of shapes other than the given one. */
const MOST_DEATHS = 3;

/**
 * Looks for the fastest shape of a model with the prompts that it is really asked, on one card, in one child process
 * that loads it once. Settings that models.yaml says stay as they are.
 */
export async function tuneModel(job: ModelJob, plan: WorkerPlan, options: TuneOptions): Promise<Tuned> {
  const {
    backendModule,
    free,
    visible,
    signal,
    leastMs = LEAST_MS,
    searchMs = SEARCH_MS,
    onTrial = () => {},
  } = options;
  const given = shapeOf(plan);
  const fixed = saidOf(job.model.scoring);
  if (fixed.size === Object.keys(given).length)
    return none(`models.yaml says its ${[...fixed].join(', ')}: nothing is left to tune`);
  const slot = workerSlot(backendModule, plan.device !== 'cpu', () => {}, visible);
  const file = lookInto(job, backendModule);
  const fitted = (shape: Shape) =>
    fitPlan(job, planInShape(plan, shape), { freeMemory: async () => free, backendModule, file });
  const misfits = new Map<string, Promise<string | null>>();
  /** A shape that is measured again is not looked into again. */
  const misfitOf = (shape: Shape) => {
    const key = JSON.stringify(shape);
    const found = misfits.get(key) ?? fitted(shape).then((plan) => misfit(shape, plan));
    misfits.set(key, found);
    return found;
  };
  let talk: TrialTalk | undefined;
  const attempt = async (shape: Shape) => {
    // The signal ends what lives as it comes: nobody would end a process that starts afterwards.
    if (signal?.aborted) throw interrupted();
    // With the threads of as many contexts as are tried: the library lets no more compute at a time.
    talk ??= openTrials(job, { ...plan, contexts: MOST_CONTEXTS }, slot);
    return await talk.attempt({ ...shape, ms: TRIAL_MS });
  };
  let deaths = 0;
  /** Without memory for a shape the library may end the process: other shapes are tried all the same. */
  const attemptOther = async (shape: Shape) => {
    try {
      return await attempt(shape);
    } catch (error) {
      if (signal?.aborted || !(error instanceof SupportCalError) || ++deaths > MOST_DEATHS) throw error;
      await talk?.end();
      talk = undefined;
      return null;
    }
  };
  const stop = () => void Promise.all([slot.kill(), file.end()]);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const tooLarge = await misfitOf(given);
    if (tooLarge !== null) return none(tooLarge);
    const first = await attempt(given);
    const reason = untold(first, leastMs);
    if (reason !== null) return none(reason);
    const began = performance.now();
    let known = first;
    const measure = async (shape: Shape) => {
      const fits = known !== null || (await misfitOf(shape)) === null;
      const time = fits ? (known ?? (await attemptOther(shape))) : null;
      known = null;
      const rate = time !== null && time.fault === null ? time.rows / time.seconds : null;
      onTrial(shape, rate);
      return rate;
    };
    const found = await searchShape(given, fixed, measure, () => performance.now() - began >= searchMs);
    return found === null ? none(NO_MEMORY) : { kind: 'found', found };
  } catch (error) {
    if (signal?.aborted) throw interrupted();
    if (!(error instanceof SupportCalError)) throw error;
    return none(error.message);
  } finally {
    signal?.removeEventListener('abort', stop);
    await Promise.all([talk?.end(), slot.kill(), file.end()]);
  }
}

function interrupted(): SupportCalError {
  return new SupportCalError('interrupted', 'the search for a faster shape was interrupted');
}

function none(reason: string): Untuned {
  return { kind: 'none', reason };
}
