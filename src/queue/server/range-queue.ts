import type { Job } from 'bullmq';
import type { RangePayload } from '../wire/messages.js';
import type { QueueServer } from './queue-server.js';

/** How often a range is tried, and what a worker that fell silent costs. */
export interface RetrySettings {
  /** Times that a worker may say that it failed. */
  readonly attempts: number;
  /** Pause before the second try; doubles from then on. */
  readonly backoffMs: number;
  /** A range whose worker does not say for so long that it holds it goes to another. */
  readonly holdMs: number;
}

/** Workers that may fall silent with a range in hand before it is set aside. */
const MOST_SILENT_WORKERS = 5;

/** The dispatcher's end of the queue of one model. */
export interface RangeQueue {
  /** Puts ranges at the end of the queue; one that is there already stays as it is. */
  add(ranges: readonly RangePayload[]): Promise<void>;
  /** Ranges that failed for the last time are taken out. */
  takeFailed(): Promise<{ readonly range: string; readonly reason: string }[]>;
  /** Removes the queue with all that is in it. */
  remove(): Promise<void>;
  close(): Promise<void>;
}

export function rangeQueue(
  server: QueueServer,
  name: string,
  { attempts, backoffMs, holdMs }: RetrySettings,
): RangeQueue {
  const queue = new server.bullmq.Queue<RangePayload>(name, server.options);
  queue.on('error', server.onError);
  // It takes nothing: what workers that fell silent held goes back to the queue, whoever is left.
  const watch = new server.bullmq.Worker(name, null, {
    ...server.options,
    autorun: false,
    stalledInterval: holdMs,
    maxStalledCount: MOST_SILENT_WORKERS,
  });
  watch.on('error', server.onError);
  watch.startStalledCheckTimer().catch(server.onError);
  const opts = {
    attempts,
    backoff: { type: 'exponential', delay: backoffMs },
    removeOnComplete: true,
    stackTraceLimit: 0,
  };
  return {
    async add(ranges) {
      await queue.addBulk(ranges.map((data) => ({ name: 'range', data, opts: { ...opts, jobId: data.range } })));
    },
    async takeFailed() {
      const jobs = (await queue.getFailed(0, 99)) as (Job<RangePayload> | undefined)[];
      const failed = jobs.flatMap((job) => (job === undefined ? [] : [job]));
      for (const job of failed) await job.remove().catch(() => undefined);
      return failed.map(({ id, failedReason }) => ({ range: id ?? '', reason: failedReason ?? 'no reason was given' }));
    },
    remove: () => queue.obliterate({ force: true, count: 10_000 }),
    async close() {
      await watch.close(true);
      await queue.close();
    },
  };
}
