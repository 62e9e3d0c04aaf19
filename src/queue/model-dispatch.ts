import type { ModelFacts, ModelJob, ModelOutcome, ScoringEvents, ScoringJob } from '../contract/scorer.js';
import { sharedBeginning } from '../contract/shared-beginning.js';
import { messageFault } from '../scoring/run/check-message.js';
import { deliverRows, type RowDelivery } from '../scoring/run/deliver-rows.js';
import { endsOneModel } from '../scoring/run/ends-one-model.js';
import { planRanges, type RangeLimits, type RangeOfRows } from './plan-ranges.js';
import type { RangeQueue } from './server/range-queue.js';
import type { RangePayload, RowChunk } from './wire/messages.js';
import { readRows } from './wire/wire-rows.js';

/** What one model may have on the server at a time; the rest waits here. */
export interface OnServer {
  readonly ranges: number;
  readonly bytes: number;
}

export interface DispatchedModel {
  readonly job: ModelJob;
  /** Name of its queue. */
  readonly name: string;
  readonly queue: RangeQueue;
  readonly events: ScoringEvents;
  readonly limits: RangeLimits;
  readonly onServer: OnServer;
}

/** A range on its way: which of its rows are still to come. */
interface OpenRange extends RangeOfRows {
  readonly missing: Set<string>;
  /** Answers that were no rows of this range. */
  readonly refused: number;
}

/** Answers that make no sense are asked for again so often. */
const MOST_REFUSED = 3;
const ADDED_AT_ONCE = 100;
const MOST_REASONS = 3;

/**
 * One model on its way over a queue: its ranges go out as far as there is room, and its rows come in until every range
 * is through or set aside. A row counts once, however often it comes.
 */
export class ModelDispatch {
  readonly outcome: Promise<ModelOutcome>;
  readonly #delivery: RowDelivery;
  readonly #waves: RangeOfRows[][];
  readonly #rows: number;
  readonly #open = new Map<string, OpenRange>();
  readonly #asideReasons: string[] = [];
  #next = 0;
  #numbered = 0;
  #bytes = 0;
  #facts: ModelFacts | undefined;
  #started = performance.now();
  #ended = false;
  #settle: (outcome: ModelOutcome) => void = () => {};
  #fail: (error: unknown) => void = () => {};
  #adding: Promise<void> = Promise.resolve();

  constructor(private readonly model: DispatchedModel) {
    this.#delivery = deliverRows(model.job, model.events);
    this.#waves = planRanges(model.job.jobs, model.limits);
    this.#rows = model.job.jobs.reduce((sum, { prompts }) => sum + prompts.length, 0);
    this.outcome = new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
    });
    this.refill();
  }

  get id(): string {
    return this.model.job.model.id;
  }

  /** Ranges that workers have not brought back yet. */
  get openRanges(): number {
    return this.#open.size;
  }

  /** Rows that have not come yet. */
  get rowsLeft(): number {
    return this.#rows - this.#delivery.rows;
  }

  /** Puts as many further ranges on the server as there is room for. */
  refill(): void {
    this.#adding = this.#adding.then(async () => {
      for (let fresh = this.#nextRanges(); fresh.length > 0; fresh = this.#nextRanges()) {
        await this.model.queue.add(fresh);
      }
      this.#endIfThrough();
    });
    this.#adding.catch((error) => this.#fail(error));
  }

  /** Puts ranges that may have been lost on the server again; what is there stays as it is. */
  async addAgain(): Promise<void> {
    const lost = [...this.#open].map(([range, open]) => this.#payload(range, open));
    for (let from = 0; from < lost.length && !this.#ended; from += ADDED_AT_ONCE)
      await this.model.queue.add(lost.slice(from, from + ADDED_AT_ONCE));
  }

  /** Takes rows that a worker has sent; resolves when they are kept. */
  async take(chunk: RowChunk): Promise<void> {
    const open = this.#open.get(chunk.range);
    // A copy of what has come, or of what is no longer wanted.
    if (open === undefined || this.#ended) return;
    const rows = readRows(chunk.rows).filter((row) => !this.#isKnown(row, open));
    if (rows.length === 0) return;
    const message = { kind: 'rows', job: open.job, rows, tokens: chunk.tokens } as const;
    const state = { jobs: this.model.job.jobs.length, loaded: true, delivery: this.#delivery };
    const fault = foreignRow(rows, open) ?? messageFault(message, state);
    if (fault !== null) return this.refuse(chunk.range, `worker ${chunk.worker} sent ${fault}`);
    if (this.#facts === undefined) this.#begin(chunk.facts);
    try {
      // Checked above.
      const sound = message as unknown as Parameters<RowDelivery['add']>[0];
      for (const { id } of sound.rows) open.missing.delete(id);
      await this.#delivery.add(sound, chunk.facts);
    } catch (error) {
      return endsOneModel(error) ? this.end(error.message) : this.abandon(error);
    }
    if (open.missing.size === 0) this.#close(chunk.range, open);
  }

  /** An answer that is none: the range is asked for again under a new name, and set aside when that does not help. */
  refuse(range: string, reason: string): void {
    const open = this.#open.get(range);
    if (open === undefined || this.#ended) return;
    if (open.refused + 1 >= MOST_REFUSED) {
      this.setAside(range, reason);
      return;
    }
    this.#open.delete(range);
    const again = this.#name();
    const next = { ...open, refused: open.refused + 1 };
    this.#open.set(again, next);
    this.model.events.onLog?.('warn', `${this.id}: ${reason}; asking again`);
    this.#adding = this.#adding.then(() => this.model.queue.add([this.#payload(again, next)]));
    this.#adding.catch((error) => this.#fail(error));
  }

  /** A range that cannot be scored: the others go on, and the model has failed in the end. */
  setAside(range: string, reason: string): void {
    const open = this.#open.get(range);
    if (open === undefined || this.#ended) return;
    const ids = [...open.missing];
    const rows = ids.length === 1 ? `row ${ids[0]}` : `rows ${ids[0]} to ${ids.at(-1)} (${ids.length} rows)`;
    const text = `${this.#jobOf(open).dataset}, ${rows}: set aside: ${reason}`;
    this.#asideReasons.push(text);
    this.model.events.onLog?.('warn', `${this.id}: ${text}`);
    this.#close(range, open);
  }

  /** Ends this model and no other. */
  end(reason: string): void {
    this.#finish({ kind: 'failed', model: this.id, reason });
  }

  /** Rows cannot be kept: everything ends. */
  abandon(error: unknown): void {
    this.#ended = true;
    this.#fail(error);
  }

  #begin(facts: ModelFacts): void {
    this.#facts = facts;
    this.model.events.onModelStart?.(this.id, this.#rows);
  }

  #nextRanges(): RangePayload[] {
    const fresh: RangePayload[] = [];
    const { ranges, bytes } = this.model.onServer;
    while (!this.#ended && fresh.length < ADDED_AT_ONCE && this.#open.size < ranges) {
      const range = this.#waves[0]?.[this.#next];
      if (range === undefined || (this.#bytes > 0 && this.#bytes + range.bytes > bytes)) break;
      this.#next += 1;
      this.#bytes += range.bytes;
      const missing = new Set(this.#promptsOf(range).map(({ id }) => id));
      const open = { ...range, missing, refused: 0 };
      const name = this.#name();
      this.#open.set(name, open);
      fresh.push(this.#payload(name, open));
    }
    return fresh;
  }

  #close(range: string, open: OpenRange): void {
    this.#open.delete(range);
    this.#bytes -= open.bytes;
    // Not for every range: what is added together costs less.
    if (this.#open.size * 2 <= this.model.onServer.ranges && this.#bytes * 2 <= this.model.onServer.bytes)
      this.refill();
  }

  #endIfThrough(): void {
    if (this.#open.size > 0 || this.#ended || this.#next < (this.#waves[0]?.length ?? 0)) return;
    // What is built on rows that were set aside has nothing to stand on.
    if (this.#waves.length > 1 && this.#asideReasons.length === 0) {
      this.#waves.shift();
      this.#next = 0;
      this.refill();
    } else this.#finish(this.#through());
  }

  #through(): ModelOutcome {
    const [model, aside] = [this.id, this.#asideReasons];
    if (aside.length > 0) {
      const more = aside.length > MOST_REASONS ? `; and ${aside.length - MOST_REASONS} more ranges` : '';
      return { kind: 'failed', model, reason: `${aside.slice(0, MOST_REASONS).join('; ')}${more}` };
    }
    if (this.#facts === undefined) return { kind: 'failed', model, reason: 'no worker brought a row' };
    const seconds = (performance.now() - this.#started) / 1000;
    return { kind: 'done', model, facts: this.#facts, seconds, tokens: this.#delivery.tokens };
  }

  #finish(outcome: ModelOutcome): void {
    if (this.#ended) return;
    this.#ended = true;
    this.model.events.onModelEnd?.(outcome);
    this.#settle(outcome);
  }

  #isKnown(row: unknown, { job }: OpenRange): boolean {
    const { id } = row as { readonly id?: unknown };
    if (typeof id !== 'string' || this.#delivery.awaits(job, id) !== null) return false;
    return this.#jobOf({ job }).prompts.some((prompt) => prompt.id === id);
  }

  #name(): string {
    this.#numbered += 1;
    return `${this.model.name}-${this.#numbered}`;
  }

  #payload(range: string, { job, from, to }: RangeOfRows): RangePayload {
    const { dataset, prompts, sharing = sharedBeginning(prompts) } = this.#jobOf({ job });
    const pair = sharing === null ? null : [sharing[0], sharing[1]];
    return { range, dataset, sharing: pair, prompts: prompts.slice(from, to) } as RangePayload;
  }

  #promptsOf({ job, from, to }: RangeOfRows): ScoringJob['prompts'] {
    return this.#jobOf({ job }).prompts.slice(from, to);
  }

  #jobOf({ job }: { readonly job: number }): ScoringJob {
    const found = this.model.job.jobs[job];
    if (found === undefined) throw new RangeError(`model ${this.id} has no job ${job}`);
    return found;
  }
}

/** A row of another range would be taken for one of this range's. */
function foreignRow(rows: readonly unknown[], { missing }: OpenRange): string | null {
  const foreign = rows.map((row) => (row as { readonly id?: unknown }).id).find((id) => !missing.has(id as string));
  return foreign === undefined
    ? null
    : `row ${JSON.stringify(String(foreign).slice(0, 80))}, which is not of this range`;
}
