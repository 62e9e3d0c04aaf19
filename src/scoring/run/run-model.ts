import { nameWithFile } from '../../config/source-kind.js';
import type { ModelJob, ModelOutcome, ScoringEvents } from '../../contract/scorer.js';
import type { WorkerPlan } from '../../engine/protocol/protocol.js';
import type { WorkerSlot } from '../process/worker-slot.js';
import { deliverRows } from './deliver-rows.js';
import { type AttemptSettings, afterCrash, NO_CRASH, nextAttempt } from './retry-policy.js';
import { type AttemptEnd, runAttempt } from './run-attempt.js';
import type { TokenExchange } from './token-exchange.js';

export interface ModelRun {
  readonly job: ModelJob;
  readonly plan: WorkerPlan;
  readonly events: ScoringEvents;
  readonly slot: WorkerSlot;
  readonly batchSeconds: number;
  readonly signal: AbortSignal;
  /** Where children of the same job tell each other its tokens; absent: there are no others. */
  readonly tokens?: TokenExchange;
}

/**
 * Scores one model to its end. A crash costs the batch in hand: the child is started again with smaller settings and
 * goes on with the rows that are left, until the model is through or keeps dying at one place.
 */
export async function runModel(run: ModelRun): Promise<ModelOutcome> {
  const { job, events } = run;
  const started = performance.now();
  const delivery = deliverRows(job, events);
  const { sequences, contexts, batchSize, company } = run.plan;
  let settings: AttemptSettings = { sequences, contexts, batchSize, ...(company !== undefined && { company }) };
  let crashes = NO_CRASH;
  for (;;) {
    const before = delivery.rows;
    const end = await runAttempt({ ...run, delivery, plan: { ...run.plan, ...settings } });
    if (end.kind === 'done') {
      const seconds = (performance.now() - started) / 1000;
      return { kind: 'done', model: job.model.id, facts: end.facts, seconds, tokens: delivery.tokens };
    }
    if (end.kind === 'failed') return failed(job, end);
    if (end.kind === 'stopped' || run.signal.aborted) return failed(job, { kind: 'stopped' });
    crashes = afterCrash(crashes, delivery.rows - before);
    const next = nextAttempt(settings, crashes);
    if (next === null) return failed(job, end, crashes.total);
    events.onLog?.(
      'warn',
      `${job.model.id}: ${end.reason} (${end.inHand}); trying again with ${next.sequences} sequence(s)`,
    );
    settings = next;
  }
}

function failed(job: ModelJob, end: Exclude<AttemptEnd, { kind: 'done' }>, crashes = 1): ModelOutcome {
  const model = job.model.id;
  const name = nameWithFile(job.model);
  if (end.kind === 'stopped') return { kind: 'failed', model, reason: 'interrupted; the rows scored so far are kept' };
  if (end.kind === 'failed') return { kind: 'failed', model, reason: `${name}: ${end.reason}` };
  const times = crashes === 1 ? '' : ` (crash ${crashes} in this run, the last ones at the same place)`;
  return { kind: 'failed', model, reason: `${name} ${end.inHand}: ${end.reason}${times}` };
}
