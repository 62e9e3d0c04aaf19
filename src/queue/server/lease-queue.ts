import { randomUUID } from 'node:crypto';
import type { Job } from 'bullmq';
import type { QueueServer } from './queue-server.js';

/** A range that this worker holds. */
export interface LeasedRange {
  readonly id: string;
  /** What the dispatcher wrote; not checked. */
  readonly payload: unknown;
  /** It failed, or its worker fell silent, before: whether it is at fault shows when it is alone. */
  readonly suspect: boolean;
  /** All that is to be known of it has been handed in. */
  done(): Promise<void>;
  failed(reason: string, kind: 'again' | 'never-again'): Promise<void>;
  /** Somebody else is to take it, now. */
  giveBack(): Promise<void>;
}

/** The worker's end of the queue of one model. */
export interface LeaseQueue {
  /** Ranges have to be held on to more often than this, in milliseconds. */
  readonly holdMs: number;
  /** Up to so many ranges, which are held from now on; none when none waits. */
  take(most: number): Promise<LeasedRange[]>;
  /** Ranges that wait for somebody, with those that failed and are to be tried again after a pause. */
  waiting(): Promise<number>;
  /** Holds on to ranges that were taken. */
  hold(ranges: readonly LeasedRange[]): Promise<void>;
  close(): Promise<void>;
}

const TAKEN_AT_ONCE = 16;

/** @param holdMs a range whose worker does not say for so long that it holds it goes to another */
export function leaseQueue(server: QueueServer, name: string, holdMs: number): LeaseQueue {
  const { bullmq, options, onError } = server;
  const worker = new bullmq.Worker(name, null, {
    ...options,
    autorun: false,
    lockDuration: holdMs,
    skipStalledCheck: true,
    removeOnComplete: { count: 0 },
  });
  worker.on('error', onError);
  // A queue that its dispatcher has removed meanwhile must not come into being again by being looked at.
  const queue = new bullmq.Queue(name, { ...options, skipMetasUpdate: true });
  queue.on('error', onError);
  const token = randomUUID();
  return {
    holdMs,
    async take(most) {
      const taken: LeasedRange[] = [];
      while (taken.length < most) {
        const wanted = Math.min(TAKEN_AT_ONCE, most - taken.length);
        const jobs = await Promise.all(
          Array.from({ length: wanted }, () => worker.getNextJob(token, { block: false })),
        );
        const found = jobs.filter((job) => job !== undefined && job !== null);
        taken.push(...found.map((job) => leasedRange(job, token, bullmq.UnrecoverableError)));
        if (found.length < wanted) break;
      }
      return taken;
    },
    async waiting() {
      // A pause ends only when somebody takes from the queue: nobody may pass a queue by where all pause.
      return await queue.getJobCountByTypes('wait', 'prioritized', 'delayed');
    },
    async hold(ranges) {
      const ids = ranges.map(({ id }) => id);
      if (ids.length > 0) await worker.extendJobLocks(ids, Array(ids.length).fill(token), holdMs);
    },
    async close() {
      await worker.close(true);
      await queue.close();
    },
  };
}

function leasedRange(job: Job, token: string, Never: new (reason: string) => Error): LeasedRange {
  return {
    id: job.id ?? '',
    payload: job.data,
    suspect: job.stalledCounter > 0 || job.attemptsMade > 0,
    done: () => unlessLost(job.moveToCompleted(null, token, false)),
    failed: (reason, kind) =>
      unlessLost(job.moveToFailed(kind === 'again' ? new Error(reason) : new Never(reason), token, false)),
    giveBack: () => unlessLost(job.moveToWait(token)),
  };
}

/** The range is gone, or another worker holds it meanwhile: nothing is left to say of it. */
async function unlessLost(step: Promise<unknown>): Promise<void> {
  try {
    await step;
  } catch (error) {
    if (!/missing (lock|key)|not in the active state|is not locked|lock mismatch/i.test(String(error))) throw error;
  }
}
