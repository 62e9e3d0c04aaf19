import {
  type Presence,
  presenceSchema,
  type RunNotice,
  readMessage,
  runSchema,
  type Ticket,
  ticketSchema,
} from '../wire/messages.js';
import { PREFIX, type QueueServer } from './queue-server.js';

const RUNS = `${PREFIX}:runs`;
const WORKERS = `${PREFIX}:workers`;
const runKey = (run: string) => `${PREFIX}:run:${run}`;
const ticketsKey = (run: string) => `${PREFIX}:tickets:${run}`;
const workerKey = (worker: string) => `${PREFIX}:worker:${worker}`;

/** What is not said again for so long is no longer so. By the clock of the server: nobody else's counts. */
const ALIVE_MS = 60_000;
/** Queues of a dispatcher that died are removed when it has been silent for so long, and not before. */
const KEPT_SECONDS = 7 * 24 * 3600;

/** How often runs and workers say that they are there. */
export const HEARTBEAT_MS = 10_000;

/** Says that a run is there and which models it has. To be said again and again. */
export async function announceRun({ client }: QueueServer, notice: RunNotice, tickets: readonly Ticket[]) {
  const { run } = notice;
  const fields = tickets.flatMap((ticket) => [ticket.queue, JSON.stringify(ticket)]);
  const said = client
    .multi()
    .set(runKey(run), JSON.stringify(notice), 'PX', ALIVE_MS)
    .del(ticketsKey(run))
    .sadd(RUNS, run);
  if (fields.length > 0) said.hset(ticketsKey(run), ...fields).expire(ticketsKey(run), KEPT_SECONDS);
  await said.exec();
}

export async function withdrawRun({ client }: QueueServer, run: string): Promise<void> {
  await client.multi().del(runKey(run), ticketsKey(run)).srem(RUNS, run).exec();
}

/** Whether a run still takes rows: one that has ended has removed its queues, and nobody would remove them again. */
export async function takesRows({ client }: QueueServer, run: string): Promise<boolean> {
  return (await client.sismember(RUNS, run)) === 1;
}

/** A run with its models. */
export interface Offer {
  readonly notice: RunNotice;
  readonly tickets: readonly Ticket[];
}

/** The runs that are at work, and the ids of those whose dispatcher has fallen silent. */
export async function readOffers({ client }: QueueServer): Promise<{ offers: Offer[]; silent: string[] }> {
  const offers: Offer[] = [];
  const silent: string[] = [];
  for (const run of (await client.smembers(RUNS)).sort()) {
    const text = await client.get(runKey(run));
    if (text === null) silent.push(run);
    const notice = readMessage(runSchema, parsed(text));
    if (notice === null) continue;
    const written = Object.values(await client.hgetall(ticketsKey(run)));
    const tickets = written.flatMap((each) => readMessage(ticketSchema, parsed(each)) ?? []);
    offers.push({ notice, tickets });
  }
  return { offers, silent };
}

/** Names of the queues that a silent run has left, when nobody of its own can need them any more. */
export async function leftQueues({ client }: QueueServer, run: string): Promise<string[]> {
  return [`rows-${run}`, ...(await client.hkeys(ticketsKey(run)))];
}

export async function announceWorker({ client }: QueueServer, presence: Presence): Promise<void> {
  await client
    .multi()
    .set(workerKey(presence.worker), JSON.stringify(presence), 'PX', ALIVE_MS)
    .sadd(WORKERS, presence.worker)
    .exec();
}

export async function withdrawWorker({ client }: QueueServer, worker: string): Promise<void> {
  await client.multi().del(workerKey(worker)).srem(WORKERS, worker).exec();
}

/** The workers that are there; those that fell silent are forgotten. */
export async function readWorkers({ client }: QueueServer): Promise<Presence[]> {
  const workers: Presence[] = [];
  for (const worker of (await client.smembers(WORKERS)).sort()) {
    const text = await client.get(workerKey(worker));
    const presence = readMessage(presenceSchema, parsed(text));
    if (presence !== null) workers.push(presence);
    else if (text === null) await client.srem(WORKERS, worker);
  }
  return workers;
}

function parsed(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
