import type { ModelRow } from '../contract/scored-row.js';
import type { ModelFacts, ModelOutcome, ScoringEvents, ScoringJob } from '../contract/scorer.js';
import { contentHash } from '../files/content-hash.js';
import type { ServedModel } from './served-model.js';
import type { LeasedRange } from './server/lease-queue.js';
import type { RowSender } from './server/row-queue.js';
import { type RangePayload, type RowChunk, rangeSchema, readMessage, type Ticket } from './wire/messages.js';
import { writeRows } from './wire/wire-rows.js';

export interface LeaseWork {
  readonly ticket: Ticket;
  readonly model: ServedModel;
  readonly sender: RowSender;
  readonly worker: string;
  readonly signal: AbortSignal;
  readonly events: ScoringEvents;
  /** The work is given up when no row came for so long. */
  readonly silenceMs: number;
  /** Rows came: whoever does the work is alive. */
  readonly onRows: () => void;
  /** A range is no longer in hand. */
  readonly onEnd: (range: LeasedRange) => void;
}

export interface LeaseEnd {
  readonly ranges: number;
  readonly rows: number;
  /** Until the first row; null: none came. */
  readonly loadMs: number | null;
  readonly totalMs: number;
  /** No row came for too long, and the runner has not ended. */
  readonly hung: boolean;
}

interface RangeInHand {
  readonly range: LeasedRange;
  readonly payload: RangePayload;
  rows: ModelRow[];
  done: boolean;
}

/**
 * Scores ranges of one model, which is loaded once for all of them. Each is handed in as soon as its last row has come,
 * and then let go; what is left at the end failed, or is given back after an interrupt.
 */
export async function scoreLease(ranges: readonly LeasedRange[], work: LeaseWork): Promise<LeaseEnd> {
  const { model, events } = work;
  const started = performance.now();
  let loadMs: number | null = null;
  const inHand: RangeInHand[] = [];
  for (const range of ranges) {
    const payload = readMessage(rangeSchema, range.payload) as RangePayload | null;
    if (payload !== null && payload.range === range.id) inHand.push({ range, payload, rows: [], done: false });
    else await letGo(range, work, () => range.failed('what the queue holds is no range of rows', 'never-again'));
  }
  if (inHand.length === 0) return { ranges: 0, rows: 0, loadMs, totalMs: performance.now() - started, hung: false };
  let rows = 0;
  const jobs = inHand.map((each) =>
    scoringJob(each, async (fresh, facts) => {
      loadMs ??= performance.now() - started;
      rows += fresh.length;
      work.onRows();
      await keep(each, { fresh, facts }, work);
    }),
  );
  const running = model.runner.run({ model: model.model, place: model.place, jobs }, events);
  const quiet = silence(work.silenceMs, () => rows);
  const ended = running.catch(failedWith(work));
  const outcome = await Promise.race([ended, quiet.then(() => null)]);
  quiet.stop();
  for (const each of inHand) if (!each.done) await endUndone(each, outcome, work);
  return { ranges: inHand.length, rows, loadMs, totalMs: performance.now() - started, hung: outcome === null };
}

function scoringJob(
  { payload: { dataset, prompts, sharing } }: RangeInHand,
  take: (rows: readonly ModelRow[], facts: ModelFacts) => Promise<void>,
): ScoringJob {
  const asksReplies = prompts.some(({ mode }) => mode === 'reply');
  return { dataset, prompts, sharing, onRows: take, ...(asksReplies && { onReplies: take }) };
}

async function keep(
  each: RangeInHand,
  { fresh, facts }: { readonly fresh: readonly ModelRow[]; readonly facts: ModelFacts },
  work: LeaseWork,
): Promise<void> {
  each.rows.push(...fresh);
  if (each.rows.length < each.payload.prompts.length) return;
  const { ticket, sender, worker, model } = work;
  await model.unchanged();
  const identity = contentHash(model.identity);
  for (const [n, rows] of writeRows(each.rows).entries()) {
    const tokens = n === 0 ? each.rows.reduce((sum, { promptTokens }) => sum + promptTokens, 0) : 0;
    const chunk: RowChunk = { queue: ticket.queue, range: each.range.id, worker, identity, facts, tokens, rows };
    await sender.send(`${each.range.id}-${n}`, chunk);
  }
  each.rows = [];
  each.done = true;
  await letGo(each.range, work, () => each.range.done());
}

async function endUndone({ range }: RangeInHand, outcome: ModelOutcome | null, work: LeaseWork): Promise<void> {
  const reason = whyUndone(outcome);
  await letGo(range, work, () =>
    work.signal.aborted ? range.giveBack() : range.failed(`worker ${work.worker}: ${reason}`, 'again'),
  );
}

function whyUndone(outcome: ModelOutcome | null): string {
  if (outcome === null) return 'no row came for too long';
  return outcome.kind === 'failed' ? outcome.reason : 'some rows did not come';
}

async function letGo(range: LeasedRange, { onEnd }: LeaseWork, step: () => Promise<void>): Promise<void> {
  await step();
  onEnd(range);
}

function failedWith({ ticket }: LeaseWork): (error: unknown) => ModelOutcome {
  return (error) => ({
    kind: 'failed',
    model: ticket.model.id,
    reason: error instanceof Error ? error.message : String(error),
  });
}

/** Resolves when no row came for so long, and never when rows come. */
function silence(ms: number, rows: () => number): Promise<void> & { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let before = 0;
  const quiet = new Promise<void>((resolve) => {
    timer = setInterval(() => {
      if (rows() === before) resolve();
      before = rows();
    }, ms);
  });
  return Object.assign(quiet, { stop: () => clearInterval(timer) });
}
