import { SupportCalError } from '../errors/supportcal-error.js';
import type { EncodedPrompts } from './encode/encode-jobs.js';
import { leavesStems } from './leaves-stems.js';
import type { Loaded } from './load-model.js';
import { openContexts } from './open-contexts.js';
import type { EvaluationContext } from './protocol/backend.js';
import { planInShape } from './protocol/context-size.js';
import type { FromWorker, OtherOrders, Trial, TrialTime } from './protocol/protocol.js';
import { MAX_FAILED_SHARE } from './rows/failed-share.js';
import { timeWaves } from './trial/time-waves.js';

/** The trials that the parent asks for, first come, first served. */
export interface TrialQueue {
  add(trial: Trial): void;
  /** Resolves with null once the parent has said that no more come. */
  next(): Promise<Trial | null>;
  end(): void;
}

export function trialQueue(): TrialQueue {
  const waiting: (Trial | null)[] = [];
  let wake = () => {};
  const put = (each: Trial | null) => {
    waiting.push(each);
    wake();
  };
  return {
    add: put,
    end: () => put(null),
    async next() {
      while (waiting.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return waiting.shift() ?? null;
    },
  };
}

export interface Tuning {
  readonly loaded: Loaded;
  readonly encoded: EncodedPrompts;
  readonly otherOrders: readonly OtherOrders[];
  readonly trials: TrialQueue;
  readonly send: (message: FromWorker) => void;
  readonly stopped: () => boolean;
}

/**
 * Evaluates some prompts of a model that is loaded once in the shapes that the parent asks for, and tells how long all
 * of them would take. What is evaluated here is thrown away.
 */
export async function tuneShapes(tuning: Tuning): Promise<void> {
  const open: Open = { contexts: [] };
  try {
    for (let trial = await tuning.trials.next(); trial !== null; trial = await tuning.trials.next()) {
      tuning.send({ kind: 'progress', what: 'trying a shape' });
      await openFor(tuning, trial, open);
      const time = await tryShape(tuning, trial, open.contexts);
      // What is left in contexts in which prompts failed, nobody knows. Where memory does not suffice for as many as
      // were asked for, those that are open hold what fewer of them need.
      if (time === null || time.fault !== null) await close(open);
      tuning.send({ kind: 'tried', time });
    }
  } finally {
    await close(open);
  }
}

/** Contexts that stay open from one trial to the next. */
interface Open {
  /** The trial that they were opened for; absent: none are open. */
  trial?: Trial;
  readonly contexts: EvaluationContext[];
}

/**
 * As many contexts as a trial asks for, or fewer where there is no memory for them. Half a second of a large model is
 * opening and closing one, so that those of the last trial are used where their shape is this one's.
 */
async function openFor({ loaded, encoded }: Tuning, trial: Trial, open: Open): Promise<void> {
  const { model, plan } = loaded;
  if (trial.sequences !== open.trial?.sequences || trial.batchSize !== open.trial.batchSize) await close(open);
  open.trial = trial;
  const missing = trial.contexts - open.contexts.length;
  if (missing <= 0) return;
  try {
    const more = await openContexts(model, planInShape(plan, { ...trial, contexts: missing }), encoded.longest);
    const size = (open.contexts[0] ?? more[0]).sequences;
    // Where memory runs out further contexts may get fewer sequences, as the first ones of a run would.
    for (const context of more) {
      if (context.sequences === size) open.contexts.push(context);
      else await context.close?.();
    }
  } catch (error) {
    if (!(error instanceof SupportCalError)) throw error;
  }
}

async function close({ contexts }: Open): Promise<void> {
  // None is closed twice, whatever becomes of the first time.
  for (let first = contexts.shift(); first !== undefined; first = contexts.shift()) await first.close?.();
}

/** @returns null where there are fewer contexts than the trial asks for */
async function tryShape(
  { loaded, encoded, otherOrders, stopped, send }: Tuning,
  trial: Trial,
  open: readonly EvaluationContext[],
): Promise<TrialTime | null> {
  const { model, plan } = loaded;
  const [first, ...others] = open.slice(0, trial.contexts);
  if (first === undefined || open.length < trial.contexts) return null;
  const { trainContextSize } = model.info;
  const { maxFailedShare = MAX_FAILED_SHARE } = plan;
  return await timeWaves({
    encoded,
    contexts: [first, ...others],
    trainContextSize,
    otherOrders: leavesStems(model.info, plan) ? otherOrders : [],
    maxFailedShare,
    ms: trial.ms,
    stopped,
    onAlive: () => send({ kind: 'progress', what: 'trying a shape' }),
  });
}
