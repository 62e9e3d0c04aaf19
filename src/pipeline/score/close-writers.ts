import { SupportCalError } from '../../errors/supportcal-error.js';
import type { OpenEntryWriter } from './open-entry-writer.js';

/**
 * Closes every writer, also when one of them could not keep its rows; then says so.
 *
 * @returns names of the entries that other runs have taken over
 */
export async function closeWriters(writers: readonly OpenEntryWriter[]): Promise<ReadonlySet<string>> {
  const closed = await Promise.allSettled(writers.map((writer) => writer.close()));
  const lost = new Set<string>();
  const faults: unknown[] = [];
  for (const [n, each] of closed.entries()) {
    if (each.status === 'fulfilled') continue;
    if (isLost(each.reason)) lost.add(writers[n]?.name ?? '');
    else faults.push(each.reason);
  }
  if (faults.length > 0) throw faults[0];
  return lost;
}

/** Whether rows could not be kept because another run has taken over what holds them. */
export function isLost(error: unknown): boolean {
  return error instanceof SupportCalError && error.code === 'cache-busy';
}
