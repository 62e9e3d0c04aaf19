import { SupportCalError } from '../errors/supportcal-error.js';
import type { EncodedPrompts } from './encode/encode-jobs.js';
import { leavesStems } from './leaves-stems.js';
import type { Loaded } from './load-model.js';
import { openContexts } from './open-contexts.js';
import type { EvaluationContext } from './protocol/backend.js';
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
  let open = NOTHING;
  try {
    for (let trial = await tuning.trials.next(); trial !== null; trial = await tuning.trials.next()) {
      open = await opened(tuning, trial, open);
      const time = await tryShape(tuning, trial, open);
      // What is left in contexts in which prompts failed, nobody knows.
      if (time === null || time.fault !== null) open = await closed(open);
      tuning.send({ kind: 'tried', time });
    }
  } finally {
    await closed(open);
  }
}

/** Contexts that stay open from one trial to the next. */
interface Open {
  readonly sequences: number;
  readonly batchSize: number;
  readonly contexts: readonly EvaluationContext[];
}

const NOTHING: Open = { sequences: 0, batchSize: 0, contexts: [] };

/**
 * As many contexts as a trial asks for, or fewer where there is no memory for them. Half a second of a large model is
 * opening and closing one, so that those of the last trial are used where their shape is this one's.
 */
async function opened({ loaded, encoded, send }: Tuning, trial: Trial, last: Open): Promise<Open> {
  send({ kind: 'progress', what: 'trying a shape' });
  const { model, plan } = loaded;
  const { sequences, batchSize } = trial;
  const isSame = sequences === last.sequences && batchSize === last.batchSize;
  const { contexts } = isSame ? last : await closed(last);
  const missing = trial.contexts - contexts.length;
  if (missing <= 0) return last;
  try {
    const more = await openContexts(model, planInShape(plan, { ...trial, contexts: missing }), encoded.longest);
    return { sequences, batchSize, contexts: [...contexts, ...more] };
  } catch (error) {
    if (error instanceof SupportCalError) return { sequences, batchSize, contexts };
    throw error;
  }
}

async function closed({ contexts }: Open): Promise<Open> {
  for (const context of contexts) await context.close?.();
  return NOTHING;
}

async function tryShape(tuning: Tuning, trial: Trial, open: Open): Promise<TrialTime | null> {
  const { loaded, encoded, otherOrders, stopped, send } = tuning;
  const { model, plan } = loaded;
  const [first, ...others] = open.contexts.slice(0, trial.contexts);
  if (first === undefined) return null;
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
