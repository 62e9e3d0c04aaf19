import path from 'node:path';
import { lockEntry } from '../../cache/lock/entry-lock.js';
import type { PipelineEvents } from '../workspace/pipeline-events.js';

export interface LockContext {
  readonly events?: Pick<PipelineEvents, 'onLog'> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Does `work` while no other run writes into the output folder; waits as long as one does. What a folder holds
 * afterwards is of one run.
 *
 * @throws SupportCalError interrupted, write-failed, and what `work` throws
 */
export async function lockRunFolder<T>(
  out: string,
  { events, signal }: LockContext,
  work: () => Promise<T>,
): Promise<T> {
  const lock = await lockEntry(path.join(path.resolve(out), 'run'), {
    onMessage: (message) => events?.onLog?.('warn', message),
    signal,
  });
  try {
    return await work();
  } finally {
    await lock.release();
  }
}
