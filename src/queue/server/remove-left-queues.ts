import type { QueueServer } from './queue-server.js';
import { leftQueues, readOffers, withdrawRun } from './registry.js';

/** Removes what dispatchers have left that ended without a word; one that only slept puts its ranges there again. */
export async function removeLeftQueues(server: QueueServer): Promise<void> {
  const { silent } = await readOffers(server);
  for (const run of silent) {
    for (const name of await leftQueues(server, run)) {
      const queue = new server.bullmq.Queue(name, server.options);
      queue.on('error', server.onError);
      await queue.obliterate({ force: true, count: 10_000 });
      await queue.close();
    }
    await withdrawRun(server, run);
  }
}
