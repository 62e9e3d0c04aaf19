import { parentPort } from 'node:worker_threads';
import { type RefitShare, type RefittedMethod, refitShare } from './refit-shares.js';
import { prepareRuns, type SplitRuns, splitRuns, type TargetJob } from './target-runs.js';

/** A target to help with. */
export interface SplitWork {
  readonly job: TargetJob;
  /** One counter that all threads share: the next split that nobody has taken. */
  readonly next: Int32Array;
}

export type ToSplitWorker =
  | { readonly kind: 'splits'; readonly work: SplitWork }
  | { readonly kind: 'refit'; readonly work: RefitShare };

/** `done` null: it failed here. `end`: there is no split left to take. */
export type FromSplitWorker =
  | { readonly kind: 'split'; readonly split: number; readonly done: SplitRuns | null }
  | { readonly kind: 'refitted'; readonly done: readonly RefittedMethod[] | null }
  | { readonly kind: 'end' };

/**
 * Entry of a thread that helps to calibrate: takes splits of a target until none is left, or fits its share of a
 * target's methods on resamples, then waits for what comes next.
 */
const port = parentPort!;
const send = (message: FromSplitWorker) => port.postMessage(message);

port.on('message', (message: ToSplitWorker) => {
  if (message.kind === 'splits') takeSplits(message.work);
  else send({ kind: 'refitted', done: attempt(() => refitShare(message.work)) });
});

function takeSplits({ job, next }: SplitWork): void {
  let prepared: ReturnType<typeof prepareRuns> | undefined;
  for (;;) {
    const split = Atomics.add(next, 0, 1);
    if (split >= job.splits.length) break;
    const done = attempt(() => {
      prepared ??= prepareRuns(job);
      return splitRuns(job, prepared, job.splits[split]!);
    });
    send({ kind: 'split', split, done });
  }
  send({ kind: 'end' });
}

/** null: it failed, and will fail again where its fault can be raised. */
function attempt<T>(make: () => T): T | null {
  try {
    return make();
  } catch {
    return null;
  }
}
