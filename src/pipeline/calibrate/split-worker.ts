import { parentPort, workerData } from 'node:worker_threads';
import { type MeasuredShare, type ModelsShare, measureShare } from './measure-elsewhere.js';
import { type RefitShare, type RefittedMethod, refitShare } from './refit-shares.js';
import { rehearseSplits } from './rehearse-splits.js';
import type { SplitPart } from './split-parts.js';
import { prepareRuns, type RunSuite, type SplitRuns, splitRuns, type TargetJob } from './target-runs.js';

/** A target to help with. */
export interface SplitWork {
  readonly job: TargetJob;
  readonly parts: readonly SplitPart[];
  /** One counter that all threads share: the next part that nobody has taken. */
  readonly next: Int32Array;
}

export type ToSplitWorker =
  | { readonly kind: 'splits'; readonly work: SplitWork }
  | { readonly kind: 'measure'; readonly work: ModelsShare }
  | { readonly kind: 'refit'; readonly work: RefitShare };

/** `done` null: it failed here. `end`: there is no part left to take. */
export type FromSplitWorker =
  | { readonly kind: 'part'; readonly part: number; readonly done: SplitRuns | null }
  | { readonly kind: 'measured'; readonly done: MeasuredShare | null }
  | { readonly kind: 'refitted'; readonly done: readonly RefittedMethod[] | null }
  | { readonly kind: 'end' };

/**
 * Entry of a thread that helps to calibrate: measures models by themselves, takes parts of a target until none is left,
 * or fits its share of a target's methods on resamples, then waits for what comes next.
 */
const port = parentPort!;
const send = (message: FromSplitWorker) => port.postMessage(message);

let called = false;

port.on('message', (message: ToSplitWorker) => {
  called = true;
  if (message.kind === 'splits') takeSplits(message.work);
  else if (message.kind === 'measure') send({ kind: 'measured', done: attempt(() => measureShare(message.work)) });
  else send({ kind: 'refitted', done: attempt(() => refitShare(message.work)) });
});

const rehearsed = workerData as RunSuite | null;
// What fails here fails again where it matters.
if (rehearsed !== null) rehearseSplits(rehearsed, () => called).catch(() => undefined);

function takeSplits({ job, parts, next }: SplitWork): void {
  let prepared: ReturnType<typeof prepareRuns> | undefined;
  for (let part = Atomics.add(next, 0, 1); part < parts.length; part = Atomics.add(next, 0, 1)) {
    const { split, methods } = parts[part]!;
    const done = attempt(() => {
      prepared ??= prepareRuns(job);
      return splitRuns(job, prepared, job.splits[split]!, methods);
    });
    send({ kind: 'part', part, done });
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
