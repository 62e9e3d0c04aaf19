import { everyNthExample } from '../contract/every-nth-example.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import type { EncodedPrompts } from './encode/encode-jobs.js';
import type { EncodedPrompt } from './encode/encoded-prompt.js';
import { leavesStems } from './leaves-stems.js';
import type { Loaded } from './load-model.js';
import { factsOf } from './model-facts.js';
import { openContexts } from './open-contexts.js';
import { planInShape } from './protocol/context-size.js';
import type { FromWorker, OtherOrders, Trial, TrialTime } from './protocol/protocol.js';
import { ackQueue } from './rows/ack-queue.js';
import { scoreWaves, type WaveRun } from './rows/score-waves.js';
import { TrialClock } from './trial-clock.js';

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

/** Prompts that go through new contexts before the clock starts are one in so many of those of the trial. */
const WARMING = 8;
/** New contexts are warm after their first batches; whole replies take seconds, so that no further ones begin then. */
const WARMING_MS = 500;

/**
 * Scores the prompts of a model that is loaded once in the shapes that the parent asks for, and tells how long each
 * took. What is scored here is thrown away.
 */
export async function tuneShapes(tuning: Tuning): Promise<void> {
  for (let trial = await tuning.trials.next(); trial !== null; trial = await tuning.trials.next())
    tuning.send({ kind: 'tried', time: await tryShape(tuning, trial) });
}

async function tryShape(tuning: Tuning, trial: Trial): Promise<TrialTime | null> {
  const { model, plan } = tuning.loaded;
  let contexts: WaveRun['contexts'];
  try {
    contexts = await openContexts(model, planInShape(plan, trial), tuning.encoded.longest);
  } catch (error) {
    if (error instanceof SupportCalError) return null;
    throw error;
  }
  try {
    await timed(tuning, contexts, { ...trial, step: WARMING * trial.step, mostMs: WARMING_MS });
    return await timed(tuning, contexts, trial);
  } finally {
    for (const context of contexts) await context.close?.();
  }
}

/**
 * The clock starts when the first batch is through, of which a run evaluates some prompts by themselves as well: all
 * contexts begin then.
 */
async function timed(tuning: Tuning, contexts: WaveRun['contexts'], { step, mostMs }: Trial): Promise<TrialTime> {
  const { loaded, stopped } = tuning;
  const encoded = everyNth(tuning.encoded, step);
  const began = performance.now();
  const clock = new TrialClock(began);
  let [isFirst, cut] = [true, false];
  const acks = ackQueue();
  await scoreWaves({
    encoded,
    otherOrders: leavesStems(loaded.model.info, loaded.plan) ? tuning.otherOrders : [],
    contexts,
    facts: factsOf(loaded, contexts),
    reference: { context: contexts[0], tolerance: Number.POSITIVE_INFINITY },
    trainContextSize: loaded.model.info.trainContextSize,
    // What fails takes its time as well.
    maxFailedShare: 1,
    acks,
    send(message) {
      const now = performance.now();
      if (message.kind === 'batch') clock.begin(named(message.job, message.ids), now);
      if (message.kind !== 'rows') return;
      if (isFirst) clock.restart(now);
      else
        clock.end(
          named(
            message.job,
            message.rows.map(({ id }) => id),
          ),
          now,
        );
      isFirst = false;
      acks.release();
    },
    stopped() {
      cut ||= stopped() || performance.now() > began + mostMs;
      return cut;
    },
  });
  const now = performance.now();
  return { ...clock.pace(now), contexts: contexts.length, whole: !cut, wallSeconds: (now - began) / 1000 };
}

/** Data sets may name their examples alike. */
function named(job: number, ids: readonly string[]): string[] {
  return ids.map((id) => `${job} ${id}`);
}

function everyNth(encoded: EncodedPrompts, step: number): EncodedPrompts {
  const exampleOf = (prompt: EncodedPrompt) => (prompt.kind === 'reply' ? prompt.request.example : prompt.id);
  return { ...encoded, jobs: encoded.jobs.map((prompts) => everyNthExample(prompts, step, exampleOf)) };
}
