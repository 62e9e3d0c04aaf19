import type { ExamplePrompt } from '../../contract/prompt.js';
import type { ModelFacts, ModelJob, ScoringEvents, ScoringJob } from '../../contract/scorer.js';
import { sharedBeginning } from '../../contract/shared-beginning.js';
import { type FromWorker, neverAMessage, type ToWorker, type WorkerPlan } from '../../engine/protocol/protocol.js';
import { patience, type StepLimit } from '../process/patience.js';
import { endText, type WorkerProcess } from '../process/worker-process.js';
import type { WorkerSlot } from '../process/worker-slot.js';
import { messageFault } from './check-message.js';
import type { RowDelivery } from './deliver-rows.js';
import { endsOneModel } from './ends-one-model.js';
import type { TokenExchange } from './token-exchange.js';
import { tokeniseMeanwhile } from './tokenise-meanwhile.js';

export type AttemptEnd =
  | { readonly kind: 'done'; readonly facts: ModelFacts }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'crashed'; readonly reason: string; readonly inHand: string };

export interface Attempt {
  readonly job: ModelJob;
  readonly plan: WorkerPlan;
  readonly delivery: RowDelivery;
  readonly events: ScoringEvents;
  readonly slot: WorkerSlot;
  /** Time that a batch gets on top of what its tokens need. */
  readonly batchSeconds: number;
  readonly signal: AbortSignal;
  readonly tokens?: TokenExchange;
}

const PROMPTS_A_MESSAGE = 500;
/** After a stop the rows in hand may take this long. */
const STOP_MS = 15_000;

/**
 * One model in one child process: load, score what is left, unload. A dead or silent child is an outcome (`crashed`),
 * not an exception; the rows it delivered stay. Rejects only when `onRows` does with a fault of all models (a full
 * disk), after the child is gone.
 */
export async function runAttempt(attempt: Attempt): Promise<AttemptEnd> {
  const { delivery, slot, signal } = attempt;
  const worker = slot.take();
  const talk = converse(attempt, worker);
  const stop = () => {
    // No row is in hand, and a child that loads or renders a template that loops reads no messages meanwhile.
    if (talk.unbegun()) return talk.giveUp();
    worker.send({ kind: 'stop' });
    // The rows in hand are waited for, stuck or not.
    talk.watch.set({ what: 'stopping', silentMs: STOP_MS, cpuMs: STOP_MS * threadsOf(attempt) });
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  else void worker.ready.then(talk.open);
  try {
    const end = await Promise.race([talk.end, worker.gone.then(talk.died)]);
    await delivery.flush();
    if (end.kind === 'crashed' || (end.kind === 'stopped' && talk.unbegun())) await slot.kill();
    return end;
  } catch (error) {
    await slot.kill();
    if (endsOneModel(error)) return { kind: 'failed', reason: error.message };
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    talk.close();
  }
}

function converse(attempt: Attempt, worker: WorkerProcess) {
  const { delivery, job } = attempt;
  let facts: ModelFacts | undefined;
  let opened = false;
  let inHand: { job: number; ids: readonly string[] }[] = [];
  let settle: (end: AttemptEnd) => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const end = new Promise<AttemptEnd>((resolve, reject) => {
    settle = resolve;
    fail = reject;
  });
  const died = (how: string): AttemptEnd => {
    return { kind: 'crashed', reason: endText(worker, how), inHand: describe(job, inHand, facts !== undefined) };
  };
  const watch = patience(worker.child.pid, (what) => settle(died(`${what}, so it was ended`)));
  const limits = limitsOf(attempt);
  const tokens = sharesTokens(attempt) ? attempt.tokens : undefined;
  watch.set({ what: 'starting', silentMs: 60_000 });

  const takeRows = async (message: Extract<FromWorker, { kind: 'rows' }>) => {
    const ids = new Set(message.rows.map((row) => row.id));
    inHand = inHand.filter((batch) => batch.job !== message.job || !batch.ids.some((id) => ids.has(id)));
    watch.pause();
    if (facts === undefined) throw new Error('rows of a model that was never loaded');
    await delivery.add(message, facts);
    watch.resume();
    worker.send({ kind: 'ack' });
  };
  const take = (message: FromWorker): void => {
    switch (message.kind) {
      case 'ready':
        return;
      case 'loaded':
        facts = message.facts;
        return;
      case 'batch':
        inHand.push(message);
        watch.set(limits.batch(message.tokens));
        return;
      case 'rows':
        takeRows(message).catch(fail);
        return;
      case 'log':
        attempt.events.onLog?.(message.level, `${job.model.id}: ${message.text}`);
        return;
      case 'progress':
        watch.set({ ...limits.load, what: message.what });
        return;
      case 'tokens':
        tokens?.give(message, worker);
        return;
      case 'tried':
        return;
      case 'failed':
        settle({ kind: 'failed', reason: message.reason });
        return;
      case 'done':
        settle(message.stopped || facts === undefined ? { kind: 'stopped' } : { kind: 'done', facts });
        return;
      default:
        neverAMessage(message);
    }
  };
  let garbage = false;
  const receive = (message: FromWorker) => {
    if (garbage) return;
    const fault = messageFault(message, {
      jobs: job.jobs.length,
      loaded: facts !== undefined,
      shared: attempt.plan.share !== undefined,
      tellsTokens: tokens !== undefined,
      delivery,
    });
    if (fault !== null) {
      garbage = true;
      const reason = `the worker process sent garbage (${fault}), so it was ended`;
      return settle({ kind: 'crashed', reason, inHand: describe(job, inHand, facts !== undefined) });
    }
    take(message);
  };
  worker.child.on('message', receive);
  return {
    end,
    watch,
    died,
    giveUp: () => settle({ kind: 'stopped' }),
    unbegun: () => facts === undefined && inHand.length === 0,
    open: () => {
      if (opened || attempt.signal.aborted) return;
      opened = true;
      watch.set(limits.load);
      for (const message of openingMessages(attempt)) worker.send(message);
      tokens?.join(worker);
      worker.send({
        kind: 'start',
        ...(tokens !== undefined && { sharesTokens: true }),
        ...otherOrdersOf(attempt.job.jobs),
      });
    },
    close: () => {
      watch.clear();
      tokens?.leave(worker);
      worker.child.off('message', receive);
    },
  };
}

function* openingMessages({ job, plan, delivery }: Attempt): Generator<ToWorker> {
  yield { kind: 'load', plan, ...(tokeniseMeanwhile(job, plan) && { tokeniseMeanwhile: true }) };
  // After a crash the batches are other ones anyway.
  yield* promptMessages(job.jobs, ({ prompts }, index) => (delivery.rows === 0 ? prompts : delivery.remaining(index)));
}

/** The prompts of all jobs in messages of some hundred, those of a job after what its prompts share. */
export function* promptMessages(
  jobs: readonly ScoringJob[],
  promptsOf: (job: ScoringJob, index: number) => readonly ExamplePrompt[] = ({ prompts }) => prompts,
): Generator<ToWorker> {
  for (const [index, job] of jobs.entries()) {
    const { prompts: all, sharing = sharedBeginning(all), skipped } = job;
    if (sharing !== null) yield { kind: 'sharing', job: index, prompts: sharing };
    const prompts = promptsOf(job, index);
    for (let from = 0; from < prompts.length; from += PROMPTS_A_MESSAGE) {
      const some = prompts.slice(from, from + PROMPTS_A_MESSAGE);
      const filling = skipped === undefined ? [] : some.flatMap(({ id }) => (skipped.has(id) ? [id] : []));
      yield { kind: 'prompts', job: index, prompts: some, ...(filling.length > 0 && { skipped: filling }) };
    }
  }
}

/** Which jobs ask for the other orders of the options of plain prompts that are scored with them. */
export function otherOrdersOf(jobs: readonly ScoringJob[]): Pick<Extract<ToWorker, { kind: 'start' }>, 'otherOrders'> {
  const otherOrders = jobs.flatMap(({ asks, dataset }, orders) => {
    if (asks !== 'other-orders') return [];
    const plain = jobs.findIndex((each) => each.asks === 'plain' && each.dataset === dataset);
    return plain === -1 ? [] : [{ plain, orders }];
  });
  return otherOrders.length > 0 ? { otherOrders } : {};
}

/** Fewer prompts are tokenised in a third of a second. */
const MANY_PROMPTS = 1000;

/** Whether the child has the prompts that others of the model have: after a crash it gets those that are left. */
function sharesTokens({ job, delivery }: Attempt): boolean {
  return delivery.rows === 0 && job.jobs.reduce((sum, { prompts }) => sum + prompts.length, 0) >= MANY_PROMPTS;
}

function describe(job: ModelJob, batches: readonly { job: number; ids: readonly string[] }[], loaded: boolean): string {
  if (batches.length === 0) return loaded ? 'between two batches' : 'while the model was loaded';
  return batches.map(({ job: index, ids }) => `at ${job.jobs[index]?.dataset}, ${rowRange(ids)}`).join(' and ');
}

function rowRange(ids: readonly string[]): string {
  return ids.length === 1 ? `row ${ids[0]}` : `rows ${ids[0]} to ${ids.at(-1)} (${ids.length} rows)`;
}

/** What loading, and evaluating a batch of so many tokens, may take. */
function limitsOf(attempt: Attempt) {
  const { job, batchSeconds } = attempt;
  const { bytes } = job.place;
  const load: StepLimit = { what: 'loading the model', silentMs: 180_000, cpuMs: 10 * 180_000 + bytes / 1_000 };
  // Another context may compute meanwhile: its processor time is that of the same child.
  const batch = (tokens: number): StepLimit => ({
    what: `evaluating a batch of ${tokens} tokens`,
    silentMs: batchSeconds * 1000,
    cpuMs: threadsOf(attempt) * (10 * batchSeconds * 1000 + (tokens * bytes) / 1e6),
  });
  return { load, batch };
}

function threadsOf({ plan }: Attempt): number {
  return plan.contexts * plan.threads;
}
