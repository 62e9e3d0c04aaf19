import { randomUUID } from 'node:crypto';
import type { Device } from '../contract/device.js';
import type { Runner } from '../contract/runner.js';
import type { ModelJob, ModelOutcome, ScoringEvents } from '../contract/scorer.js';
import { contentHash } from '../files/content-hash.js';
import { slugOf } from '../files/slug-of.js';
import { deviceFor } from '../scoring/device/device-for.js';
import { missingWorkers } from './missing-workers.js';
import { ModelDispatch, type OnServer } from './model-dispatch.js';
import { RANGE_LIMITS, type RangeLimits } from './plan-ranges.js';
import type { QueueServer } from './server/queue-server.js';
import { type RangeQueue, type RetrySettings, rangeQueue } from './server/range-queue.js';
import { announceRun, HEARTBEAT_MS, withdrawRun } from './server/registry.js';
import { removeLeftQueues } from './server/remove-left-queues.js';
import { takeRows } from './server/row-queue.js';
import { chunkSchema, readMessage, type Ticket } from './wire/messages.js';
import type { Versions } from './wire/versions.js';

export interface DispatchSettings {
  readonly server: QueueServer;
  /** What workers must compute on. */
  readonly device: Device;
  readonly versions: Versions;
  readonly signal: AbortSignal;
  readonly onLog: (level: 'info' | 'warn', message: string) => void;
  /** A model that no row comes of for so long has failed; null: workers are waited for as long as it takes. */
  readonly patienceMs: number | null;
  readonly retry?: RetrySettings;
  readonly limits?: RangeLimits;
  /** What all models together may have on the server. */
  readonly onServer?: OnServer;
  /** Pause between two looks at what failed and at who is there. */
  readonly pollMs?: number;
  /** Rows are waited for so long before ranges that a server may have lost are put there again. */
  readonly lostMs?: number;
  readonly heartbeatMs?: number;
}

export const RETRY: RetrySettings = { attempts: 3, backoffMs: 2_000, holdMs: 30_000 };
const ON_SERVER: OnServer = { ranges: 16_384, bytes: 256 * 2 ** 20 };
const LEAST_OF_A_MODEL: OnServer = { ranges: 64, bytes: 2 ** 20 };
const LOST_MS = 60_000;
const CLOSE_MS = 10_000;

/** How many rows are left is said anew every time. */
type OwnTicket = Omit<Ticket, 'rowsLeft'>;

interface OpenModel {
  readonly dispatch: ModelDispatch;
  readonly queue: RangeQueue;
  readonly ticket: OwnTicket;
  readonly identity: string;
  lastRows: number;
  addedAgain: number;
}

/**
 * A runner whose work is done by workers on a queue (`runQueueWorker`), wherever they are. Every model has a queue of
 * its own, so that whoever serves it loads its weights once; a job needs `content`, by which a worker finds the model.
 *
 * @param models how many models will be run side by side: they divide the room on the server among them
 */
export async function queueRunner(settings: DispatchSettings, models: number): Promise<Runner> {
  const { server } = settings;
  await removeLeftQueues(server);
  const dispatcher = new Dispatcher(settings, models);
  await dispatcher.announce();
  return { run: (job, events) => dispatcher.run(job, events), close: () => dispatcher.close() };
}

class Dispatcher {
  readonly #run = randomUUID().slice(0, 13);
  readonly #models = new Map<string, OpenModel>();
  readonly #rows: ReturnType<typeof takeRows>;
  readonly #timers: NodeJS.Timeout[];
  readonly #whoIsMissing: ReturnType<typeof missingWorkers>;
  #count = 0;
  #polling = false;

  constructor(
    private readonly settings: DispatchSettings,
    private readonly modelCount: number,
  ) {
    const { server, pollMs = 1000, heartbeatMs = HEARTBEAT_MS, retry = RETRY } = settings;
    this.#whoIsMissing = missingWorkers(settings);
    this.#rows = takeRows(server, { name: `rows-${this.#run}`, holdMs: retry.holdMs }, (chunk) => this.#take(chunk));
    this.#timers = [
      setInterval(() => void this.announce().catch(server.onError), heartbeatMs),
      setInterval(() => void this.#poll().catch(server.onError), pollMs),
    ];
  }

  async announce(): Promise<void> {
    const { server, versions, device, retry = RETRY } = this.settings;
    const rows = `rows-${this.#run}`;
    const notice = { run: this.#run, versions, device, rows, holdMs: retry.holdMs };
    await announceRun(
      server,
      notice,
      [...this.#models.values()].map(({ ticket, dispatch }) => ({ ...ticket, rowsLeft: dispatch.rowsLeft })),
    );
  }

  async run(job: ModelJob, events: ScoringEvents): Promise<ModelOutcome> {
    const { server, signal, limits = RANGE_LIMITS, retry = RETRY } = this.settings;
    const model = job.model.id;
    if (signal.aborted) return { kind: 'failed', model, reason: 'interrupted before it was dispatched' };
    const ticket = this.#ticketOf(job);
    if (ticket === null) return { kind: 'failed', model, reason: 'its source is none that a worker could find' };
    const queue = rangeQueue(server, ticket.queue, retry);
    const dispatch = new ModelDispatch({ job, name: ticket.queue, queue, events, limits, onServer: this.#room() });
    const now = Date.now();
    const identity = contentHash(ticket.identity);
    this.#models.set(ticket.queue, { dispatch, queue, ticket, identity, lastRows: now, addedAgain: now });
    const stop = () => dispatch.end('interrupted; the rows scored so far are kept');
    signal.addEventListener('abort', stop, { once: true });
    try {
      await this.announce();
      return await dispatch.outcome;
    } finally {
      signal.removeEventListener('abort', stop);
      this.#models.delete(ticket.queue);
      await withPatience(this.announce().then(() => queue.remove()));
      await withPatience(queue.close());
    }
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await withPatience(this.#rows.close());
    await withPatience(this.#rows.remove().then(() => withdrawRun(this.settings.server, this.#run)));
  }

  #room(): OnServer {
    const { onServer = ON_SERVER } = this.settings;
    const share = (what: keyof OnServer) =>
      Math.max(LEAST_OF_A_MODEL[what], Math.floor(onServer[what] / Math.max(1, this.modelCount)));
    return { ranges: share('ranges'), bytes: share('bytes') };
  }

  #ticketOf({ model, place, content }: ModelJob): OwnTicket | null {
    if (content === undefined) return null;
    const { id, prompt, assistantPrefix, scoring } = model;
    const { sha256, hub, lora, identity } = content;
    const plain = JSON.parse(JSON.stringify({ id, prompt, assistantPrefix, scoring })) as Ticket['model'];
    this.#count += 1;
    const queue = `${slugOf(id)}-${contentHash(identity).slice(0, 12)}-${this.#run}-${this.#count}`;
    return {
      queue,
      model: plain,
      sha256,
      bytes: place.bytes,
      hub,
      lora: [...lora],
      identity: { ...identity },
    };
  }

  async #take(message: unknown): Promise<void> {
    const chunk = readMessage(chunkSchema, message);
    if (chunk === null)
      return this.settings.onLog('warn', 'a message that is no rows came to the queue; it is left out');
    const open = this.#models.get(chunk.queue);
    if (open === undefined) return;
    open.lastRows = Date.now();
    const device = deviceFor(open.ticket.model, this.settings.device);
    if (chunk.identity !== open.identity || chunk.facts.backend !== device) {
      return open.dispatch.refuse(chunk.range, `worker ${chunk.worker} sent rows of another device or other settings`);
    }
    await open.dispatch.take(chunk);
  }

  /** Looks after ranges that failed, those that may be lost, and models that nobody serves. */
  async #poll(): Promise<void> {
    if (this.#polling || this.settings.server.client.status !== 'ready') return;
    this.#polling = true;
    try {
      for (const open of this.#models.values()) {
        for (const { range, reason } of await open.queue.takeFailed()) open.dispatch.setAside(range, reason);
        await this.#lookAfter(open);
      }
      await this.#whoIsMissing([...this.#models.values()].map(({ ticket, lastRows }) => ({ ticket, lastRows })));
    } finally {
      this.#polling = false;
    }
  }

  async #lookAfter(open: OpenModel): Promise<void> {
    const { patienceMs, lostMs = LOST_MS } = this.settings;
    const silent = Date.now() - open.lastRows;
    if (patienceMs !== null && silent > patienceMs) {
      return open.dispatch.end(`no worker brought a row of it for ${Math.round(silent / 1000)} s; see --patience`);
    }
    if (silent < lostMs || Date.now() - open.addedAgain < lostMs) return;
    open.addedAgain = Date.now();
    await open.dispatch.addAgain();
  }
}

/** A server that is away keeps nobody here: what is left there goes when the next dispatcher comes. */
async function withPatience(step: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_MS);
  });
  await Promise.race([step.catch(() => undefined), late]);
  clearTimeout(timer);
}
