import { SupportCalError } from '../errors/supportcal-error.js';
import type { EncodedPrompts } from './encode/encode-jobs.js';
import { leavesStems } from './leaves-stems.js';
import type { Loaded } from './load-model.js';
import { openContexts } from './open-contexts.js';
import { planInShape } from './protocol/context-size.js';
import type { FromWorker, OtherOrders, Trial, TrialTime } from './protocol/protocol.js';
import { MAX_FAILED_SHARE } from './rows/failed-share.js';
import { timeWaves } from './time-waves.js';

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
  for (let trial = await tuning.trials.next(); trial !== null; trial = await tuning.trials.next())
    tuning.send({ kind: 'tried', time: await tryShape(tuning, trial) });
}

async function tryShape(tuning: Tuning, trial: Trial): Promise<TrialTime | null> {
  const { loaded, encoded, otherOrders, stopped, send } = tuning;
  const { model, plan } = loaded;
  const onAlive = () => send({ kind: 'progress', what: 'trying a shape' });
  onAlive();
  let contexts: Awaited<ReturnType<typeof openContexts>>;
  try {
    contexts = await openContexts(model, planInShape(plan, trial), encoded.longest);
  } catch (error) {
    if (error instanceof SupportCalError) return null;
    throw error;
  }
  try {
    const { trainContextSize } = model.info;
    const orders = leavesStems(model.info, plan) ? otherOrders : [];
    const { maxFailedShare = MAX_FAILED_SHARE } = plan;
    return await timeWaves({
      encoded,
      contexts,
      trainContextSize,
      otherOrders: orders,
      maxFailedShare,
      ms: trial.ms,
      stopped,
      onAlive,
    });
  } finally {
    for (const context of contexts) await context.close?.();
  }
}
