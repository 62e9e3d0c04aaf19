import { setTimeout as pause } from 'node:timers/promises';
import type { Device } from '../contract/device.js';
import type { ScoringEvents } from '../contract/scorer.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { canonicalJson, contentHash } from '../files/content-hash.js';
import { leaseSize } from './lease-size.js';
import { preferredTickets } from './preferred-tickets.js';
import { scoreLease } from './score-lease.js';
import type { ServedModel } from './served-model.js';
import { type LeasedRange, type LeaseQueue, leaseQueue } from './server/lease-queue.js';
import type { QueueServer } from './server/queue-server.js';
import {
  announceWorker,
  HEARTBEAT_MS,
  type Offer,
  readOffers,
  readWorkers,
  withdrawWorker,
} from './server/registry.js';
import { type RowSender, sendRows } from './server/row-queue.js';
import type { Ticket } from './wire/messages.js';
import { sameVersions, type Versions, versionText } from './wire/versions.js';

export interface WorkerSettings {
  readonly server: QueueServer;
  /** Name in the dispatcher's log; no two workers have the same. */
  readonly worker: string;
  readonly device: Device;
  readonly versions: Versions;
  readonly signal: AbortSignal;
  readonly events: ScoringEvents;
  /** Finds the model of a ticket, or says why it cannot be had here. */
  readonly findModel: (ticket: Ticket) => Promise<ServedModel | { readonly reason: string }>;
  /** Ends when there was nothing to do for so long; null: never. */
  readonly idleMs: number | null;
  /** A range of which no row came for so long is given up by this worker, too. */
  readonly silenceMs?: number;
  readonly pollMs?: number;
}

/** Longer than loading the largest file takes, and than the child processes are waited for. */
const SILENCE_MS = 30 * 60_000;
const HUNG = 'no row came for too long; its ranges went to other workers, and this worker ends';
/** A model that could not be had is looked for again after so long: its file may have come. */
const LOOK_AGAIN_MS = 60_000;

/**
 * Scores ranges of the queues on a server, model by model, until the signal fires (what is in hand is then handed in
 * and the rest given back) or nothing was to do for `idleMs`. Returns how many rows it scored. It takes nothing of a
 * dispatcher of another version or one that asks for another device.
 *
 * @throws SupportCalError scoring: the runner neither brings rows nor ends
 */
export async function runQueueWorker(settings: WorkerSettings): Promise<number> {
  const worker = new QueueWorker(settings);
  const beat = setInterval(() => void worker.announce().catch(settings.server.onError), HEARTBEAT_MS);
  try {
    await worker.announce();
    return await worker.work();
  } finally {
    clearInterval(beat);
    await worker.close();
  }
}

class QueueWorker {
  readonly #cannot = new Map<string, { readonly reason: string; readonly at: number }>();
  readonly #refusedRuns = new Set<string>();
  /** The model that was served last; what it loaded is kept as long as nothing else is asked for. */
  #served: { readonly key: string; readonly model: ServedModel } | undefined;
  #serves: string | null = null;
  #rows = 0;

  constructor(private readonly settings: WorkerSettings) {}

  async announce(): Promise<void> {
    const { server, worker, device, versions } = this.settings;
    const cannot = Object.fromEntries([...this.#cannot].map(([queue, { reason }]) => [queue, reason]));
    await announceWorker(server, { worker, device, versions, serves: this.#serves, cannot });
  }

  async work(): Promise<number> {
    const { signal, idleMs, pollMs = 1000 } = this.settings;
    let busy = Date.now();
    while (!signal.aborted && (idleMs === null || Date.now() - busy <= idleMs)) {
      const served = await this.#serveOne();
      if (served) busy = Date.now();
      else await pause(pollMs, undefined, { signal }).catch(() => undefined);
    }
    return this.#rows;
  }

  async close(): Promise<void> {
    await this.#served?.model.runner.close();
    await withdrawWorker(this.settings.server, this.settings.worker).catch(() => undefined);
  }

  /** Serves the queue that needs it most until it is empty; false: there is none. */
  async #serveOne(): Promise<boolean> {
    const { server, events } = this.settings;
    const { offers } = await readOffers(server);
    const mine = offers.filter((offer) => this.#isForUs(offer));
    this.#forgetReasons(mine);
    const tickets = mine.flatMap(({ tickets, notice }) => tickets.map((ticket) => ({ ticket, notice })));
    for (const { ticket, notice } of await this.#inOrder(tickets)) {
      if (this.#cannot.has(ticket.queue)) continue;
      const queue = leaseQueue(server, ticket.queue, notice.holdMs);
      const sender = sendRows(server, notice);
      try {
        if ((await queue.waiting()) === 0) continue;
        await this.#say(ticket.queue);
        const model = await this.#modelOf(ticket);
        if ('reason' in model) {
          this.#serves = null;
          this.#cannot.set(ticket.queue, { reason: model.reason, at: Date.now() });
          events.onLog?.('warn', `${ticket.model.id}: ${model.reason}`);
          await this.announce();
          continue;
        }
        if ((await this.#serve(ticket, model, { queue, sender })) > 0) return true;
      } finally {
        await queue.close();
        await sender.close();
      }
    }
    if (this.#serves !== null) await this.#say(null);
    return false;
  }

  /** Others choose by what is said here: a model counts as served from when its file is looked for. */
  async #say(serves: string | null): Promise<void> {
    this.#serves = serves;
    await this.announce();
  }

  #isForUs({ notice: { run, versions, device } }: Offer): boolean {
    const { versions: own, device: ownDevice, events } = this.settings;
    if (device !== ownDevice) return false;
    if (sameVersions(versions, own)) return true;
    if (!this.#refusedRuns.has(run)) {
      this.#refusedRuns.add(run);
      const both = `its dispatcher is ${versionText(versions)}, this worker is ${versionText(own)}`;
      events.onLog?.('warn', `run ${run} is refused: ${both}; install the same version on both`);
    }
    return false;
  }

  /** The model that is loaded comes first, then the one that needs another worker most. */
  async #inOrder<T extends { readonly ticket: Ticket }>(offered: readonly T[]): Promise<T[]> {
    const { server, worker, device, versions } = this.settings;
    const isLoaded = ({ ticket }: T) => Number(keyOf(ticket) === this.#served?.key);
    const workers = (await readWorkers(server)).filter((each) => each.device === device);
    const equal = workers.filter((each) => sameVersions(each.versions, versions));
    const tickets = offered.map((each) => ({ ...each.ticket, each }));
    return preferredTickets(tickets, equal, worker)
      .map(({ each }) => each)
      .sort((a, b) => isLoaded(b) - isLoaded(a));
  }

  #forgetReasons(offers: readonly Offer[]): void {
    const known = new Set(offers.flatMap(({ tickets }) => tickets.map(({ queue }) => queue)));
    for (const [queue, { at }] of this.#cannot)
      if (!known.has(queue) || Date.now() - at > LOOK_AGAIN_MS) this.#cannot.delete(queue);
  }

  async #modelOf(ticket: Ticket): Promise<ServedModel | { readonly reason: string }> {
    if (this.#served?.key === keyOf(ticket)) return this.#served.model;
    await this.#served?.model.runner.close();
    this.#served = undefined;
    const found = await this.settings.findModel(ticket);
    if ('reason' in found) return found;
    const other = differences(ticket.identity, found.identity);
    if (other.length > 0) {
      await found.runner.close();
      return { reason: `its scores would be others here: ${other.join(', ')}` };
    }
    this.#served = { key: keyOf(ticket), model: found };
    return found;
  }

  /** @returns how many ranges were taken */
  async #serve(
    ticket: Ticket,
    model: ServedModel,
    { queue, sender }: { readonly queue: LeaseQueue; readonly sender: RowSender },
  ): Promise<number> {
    const { signal, events } = this.settings;
    const size = leaseSize();
    let taken = 0;
    while (!signal.aborted) {
      const ranges = await queue.take(size.next(await queue.waiting()));
      if (ranges.length === 0) break;
      if (taken === 0) events.onLog?.('info', `${ticket.model.id}: taking ranges from ${ticket.queue}`);
      taken += ranges.length;
      const suspects = ranges.filter(({ suspect }) => suspect);
      const groups = [ranges.filter(({ suspect }) => !suspect), ...suspects.map((each) => [each])];
      await this.#scoreGroups(groups, ranges, { ticket, model, queue, sender, size });
    }
    return taken;
  }

  async #scoreGroups(
    groups: readonly LeasedRange[][],
    ranges: readonly LeasedRange[],
    lease: {
      ticket: Ticket;
      model: ServedModel;
      queue: LeaseQueue;
      sender: RowSender;
      size: ReturnType<typeof leaseSize>;
    },
  ): Promise<void> {
    const { silenceMs = SILENCE_MS, worker, signal, events, server } = this.settings;
    const held = new Set(ranges);
    let heard = Date.now();
    const hold = setInterval(() => {
      if (Date.now() - heard < silenceMs) void lease.queue.hold([...held]).catch(server.onError);
    }, lease.queue.holdMs / 3);
    try {
      for (const group of groups) {
        heard = Date.now();
        const scored = await scoreLease(group, {
          ...lease,
          worker,
          signal,
          events,
          silenceMs,
          onRows: () => {
            heard = Date.now();
          },
          onEnd: (range) => void held.delete(range),
        });
        this.#rows += scored.rows;
        const told = `${lease.ticket.model.id}: ${scored.rows} rows in ${(scored.totalMs / 1000).toFixed(1)} s`;
        if (scored.rows > 0) events.onLog?.('info', told);
        if (scored.hung) throw new SupportCalError('scoring', `${lease.ticket.model.id}: ${HUNG}`);
        if (scored.loadMs !== null) lease.size.learn({ ...scored, loadMs: scored.loadMs });
      }
    } finally {
      clearInterval(hold);
      for (const range of held) await range.giveBack();
    }
  }
}

/** Tickets of two runs for the same model and settings are served by what is loaded once. */
function keyOf({ model, identity }: Ticket): string {
  return contentHash([model.prompt, model.assistantPrefix ?? null, model.scoring ?? null, identity]);
}

function differences(asked: Ticket['identity'], found: Readonly<Record<string, unknown>>): string[] {
  const fields = new Set([...Object.keys(asked), ...Object.keys(found)]);
  return [...fields].flatMap((field) => {
    const [a, b] = [asked, found].map((each) => canonicalJson(each[field] ?? null));
    return a === b ? [] : `${field} is ${b}, the dispatcher has ${a}`;
  });
}
