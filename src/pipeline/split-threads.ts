import type { Worker } from 'node:worker_threads';
import { startThread } from '../files/startable-module.js';
import { type RaggedRows, sharedRows } from '../numeric/ragged-rows.js';
import { sharedArray } from '../numeric/shared-array.js';
import type { FromSplitWorker, SplitWork } from './split-worker.js';
import { type PreparedRuns, prepareRuns, type SplitRuns, splitRuns, type TargetJob } from './target-runs.js';

/** Threads that help with the splits of a target. */
export interface SplitThreads {
  readonly helpers: readonly Helper[];
  close(): Promise<void>;
}

/** Threads that take part, and what this thread can do while they begin, and while they end. */
export interface Help {
  readonly threads: SplitThreads;
  readonly meanwhile?: () => unknown;
  readonly afterwards?: () => unknown;
}

interface Helper {
  /** Takes part in a target; resolves with what it did, also when the thread died on the way. */
  help(work: SplitWork): Promise<ReadonlyMap<number, SplitRuns>>;
}

/** Starts helping threads; their modules load while this thread goes on. */
export function openThreads(count: number): SplitThreads {
  const workers = Array.from({ length: count }, () => startThread(import.meta.url, 'split-worker', {}));
  return {
    helpers: workers.map(helperOf),
    close: async () => void (await Promise.all(workers.map((worker) => worker.terminate()))),
  };
}

/**
 * Every split of a target, each done once by whichever thread is free, in the order of the splits. What a thread could
 * not do is done here again, so that a fault is raised as it would be without threads.
 */
export async function spreadSplits(
  job: TargetJob,
  help?: Help,
): Promise<{ readonly prepared: PreparedRuns; readonly done: readonly SplitRuns[] }> {
  const next = new Int32Array(new SharedArrayBuffer(4));
  const done: SplitRuns[] = new Array(job.splits.length);
  const helpers = help?.threads.helpers ?? [];
  const work = helpers.length === 0 ? null : { job: sharedJob(job), next };
  const helped = Promise.all(helpers.map((helper) => helper.help(work!)));
  help?.meanwhile?.();
  const prepared = prepareRuns(job);
  const take = () => Atomics.add(next, 0, 1);
  const run = (split: number) => {
    done[split] = splitRuns(job, prepared, job.splits[split]!);
  };
  for (let split = take(); split < job.splits.length; split = take()) run(split);
  if (helpers.length > 0) help?.afterwards?.();
  for (const each of await helped) for (const [split, runs] of each) done[split] = runs;
  for (let split = 0; split < job.splits.length; split++) if (done[split] === undefined) run(split);
  return { prepared, done };
}

function helperOf(worker: Worker): Helper {
  let dead = false;
  let settle: (() => void) | undefined;
  let done = new Map<number, SplitRuns>();
  const end = () => {
    dead = true;
    settle?.();
  };
  // A thread that ran out of memory, say: its splits are done by the others.
  worker.on('error', end);
  worker.on('exit', end);
  worker.on('message', (message: FromSplitWorker) => {
    if (message.kind === 'end') settle?.();
    else if (message.done !== null) done.set(message.split, message.done);
  });
  return {
    async help(work) {
      done = new Map();
      if (dead) return done;
      worker.postMessage(work);
      await new Promise<void>((resolve) => {
        settle = resolve;
      });
      return done;
    },
  };
}

/** The same job with its large arrays in memory that threads share; those that already are stay where they are. */
function sharedJob(job: TargetJob): TargetJob {
  const { aligned, plan, splits } = job;
  const rows = (each: RaggedRows) => sharedRows(each);
  const { methods, combinationMethods, elicitation, binning } = plan;
  return {
    ...job,
    plan: { methods, combinationMethods, ownMethods: [], elicitation, binning },
    aligned: {
      targetLogits: rows(aligned.targetLogits),
      ownBaseLogits: rows(aligned.ownBaseLogits),
      references: aligned.references.map(({ id, logits }) => ({ id, logits: rows(logits) })),
      labels: sharedArray(aligned.labels),
    },
    splits: splits.map(({ seed, calibration, evaluation }) => ({
      ...{ seed, calibration: sharedArray(calibration), evaluation: sharedArray(evaluation) },
    })),
  };
}
