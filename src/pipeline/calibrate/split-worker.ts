import { parentPort } from 'node:worker_threads';
import { prepareRuns, type SplitRuns, splitRuns, type TargetJob } from './target-runs.js';

/** A target to help with. */
export interface SplitWork {
  readonly job: TargetJob;
  /** One counter that all threads share: the next split that nobody has taken. */
  readonly next: Int32Array;
}

/** `done` null: it failed here. `end`: there is no split left to take. */
export type FromSplitWorker =
  | { readonly kind: 'split'; readonly split: number; readonly done: SplitRuns | null }
  | { readonly kind: 'end' };

/**
 * Entry of a thread that helps to calibrate: takes splits of a target until none is left, then waits for the next
 * target.
 */
const port = parentPort!;
const send = (message: FromSplitWorker) => port.postMessage(message);

port.on('message', ({ job, next }: SplitWork) => {
  let prepared: ReturnType<typeof prepareRuns> | undefined;
  for (;;) {
    const split = Atomics.add(next, 0, 1);
    if (split >= job.splits.length) break;
    try {
      prepared ??= prepareRuns(job);
      send({ kind: 'split', split, done: splitRuns(job, prepared, job.splits[split]!) });
    } catch {
      send({ kind: 'split', split, done: null });
    }
  }
  send({ kind: 'end' });
});
