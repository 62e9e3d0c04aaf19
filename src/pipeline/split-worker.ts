import { parentPort } from 'node:worker_threads';
import { prepareRuns, type SplitRuns, splitRuns, type TargetJob } from './target-runs.js';

/** A target to help with. */
export interface SplitWork {
  readonly job: TargetJob;
  /** One counter that all threads share: the next split that nobody has taken. */
  readonly next: Int32Array;
  /** Whether later steps look at single examples. */
  readonly keepExamples: boolean;
}

/** `done` null: it failed here. `end`: there is no split left to take. */
export type FromSplitWorker =
  | { readonly kind: 'split'; readonly split: number; readonly done: SplitRuns | null }
  | { readonly kind: 'end' };

/** Entry of a thread that helps to calibrate: takes splits of a target until none is left, then waits for the next target. */
const port = parentPort!;
const send = (message: FromSplitWorker) => port.postMessage(message);

port.on('message', ({ job, next, keepExamples }: SplitWork) => {
  let prepared: ReturnType<typeof prepareRuns> | undefined;
  for (;;) {
    const split = Atomics.add(next, 0, 1);
    if (split >= job.splits.length) break;
    try {
      prepared ??= prepareRuns(job);
      const done = splitRuns(job, prepared, job.splits[split]!);
      send({ kind: 'split', split, done: keepExamples ? done : withoutExamples(done) });
    } catch {
      send({ kind: 'split', split, done: null });
    }
  }
  send({ kind: 'end' });
});

const NONE = { examples: new Int32Array(), confidences: new Float64Array(), correct: new Uint8Array() };

/** What is not looked at need not be copied to the other thread. */
function withoutExamples(done: SplitRuns): SplitRuns {
  const measured = done.measured.map((each) => {
    const { evaluation } = each;
    return { ...each, evaluation: evaluation && { ece: evaluation.ece, bins: evaluation.bins, ...NONE } };
  });
  return { ...done, measured, ownBase: done.ownBase && { ...done.ownBase, ...NONE } };
}
