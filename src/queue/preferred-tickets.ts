import type { Presence, Ticket } from './wire/messages.js';

type Wanted = Pick<Ticket, 'queue' | 'bytes' | 'rowsLeft'>;

/**
 * The models that a worker may serve, the one that needs it most first: rows that are left x bytes of the file, for
 * each worker that serves it, the asking one included. Workers that serve nothing yet choose in the order of their
 * names, each as if those before it had chosen: so workers that start together spread without a word to each other.
 * `bench/scale.ts` plays this rule for 64 cards.
 *
 * @param workers all that are at work, the asking one included
 */
export function preferredTickets<T extends Wanted>(
  tickets: readonly T[],
  workers: readonly Pick<Presence, 'worker' | 'serves' | 'cannot'>[],
  self: string,
): T[] {
  const serving = new Map(tickets.map(({ queue }) => [queue, 0]));
  const others = workers.filter(({ worker }) => worker !== self);
  const count = (queue: string) => serving.get(queue) ?? 0;
  const need = ({ queue, bytes, rowsLeft }: T) => (bytes * rowsLeft) / (count(queue) + 1);
  for (const { serves } of others) if (serves !== null) serving.set(serves, count(serves) + 1);
  const idleBefore = others
    .filter(({ worker, serves }) => serves === null && worker < self)
    .sort((a, b) => (a.worker < b.worker ? -1 : 1));
  for (const { cannot } of idleBefore) {
    const able = tickets.filter(({ queue }) => !Object.hasOwn(cannot, queue));
    const [first, ...rest] = able;
    if (first === undefined) continue;
    const most = rest.reduce((best, each) => (need(each) > need(best) ? each : best), first);
    serving.set(most.queue, count(most.queue) + 1);
  }
  return tickets.toSorted((a, b) => need(b) - need(a) || (a.queue < b.queue ? -1 : 1));
}
