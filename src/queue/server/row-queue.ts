import type { QueueServer } from './queue-server.js';
import { takesRows } from './registry.js';

/** The end of a queue at which a worker hands rows in. */
export interface RowSender {
  /**
   * Resolves when the server has the rows, or when their run has ended; `id` keeps a second copy out as long as the
   * first waits.
   */
  send(id: string, chunk: unknown): Promise<void>;
  close(): Promise<void>;
}

export function sendRows(
  server: QueueServer,
  { run, rows }: { readonly run: string; readonly rows: string },
): RowSender {
  const queue = new server.bullmq.Queue(rows, { ...server.options, skipMetasUpdate: true });
  queue.on('error', server.onError);
  return {
    async send(id, chunk) {
      if (await takesRows(server, run))
        await queue.add('rows', chunk, { jobId: id, removeOnComplete: true, removeOnFail: true });
    },
    close: () => queue.close(),
  };
}

/** Chunks of rows that are taken at a time: what comes while one is made durable is kept together. */
const AT_A_TIME = 32;

/**
 * Takes the rows that workers hand in, in the order in which they come. A chunk leaves the server when `take` is
 * through with it; one that was in hand when this process or the server died comes again.
 *
 * @param holdMs a chunk that nobody says he holds for so long comes again
 */
export function takeRows(
  server: QueueServer,
  { name, holdMs }: { readonly name: string; readonly holdMs: number },
  take: (chunk: unknown) => Promise<void>,
): { close(): Promise<void>; remove(): Promise<void> } {
  const { bullmq, options, onError } = server;
  const worker = new bullmq.Worker(name, ({ data }) => take(data), {
    ...options,
    concurrency: AT_A_TIME,
    lockDuration: holdMs,
    stalledInterval: holdMs,
    maxStalledCount: 1000,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  });
  worker.on('error', onError);
  const queue = new bullmq.Queue(name, options);
  queue.on('error', onError);
  return {
    close: async () => {
      await worker.close();
    },
    async remove() {
      await queue.obliterate({ force: true, count: 10_000 });
      await queue.close();
    },
  };
}
