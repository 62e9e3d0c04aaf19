import type { ModelRow } from '../../contract/scored-row.js';
import type { ModelFacts } from '../../contract/scorer.js';
import type { EncodedPrompts } from '../encode/encode-jobs.js';
import type { ReadyPrompt } from '../encode/encoded-prompt.js';
import type { EvaluationContext } from '../protocol/backend.js';
import type { FromWorker, OtherOrders, Share } from '../protocol/protocol.js';
import type { AckQueue } from './ack-queue.js';
import { checkedPlaces } from './checked-places.js';
import { failedShare } from './failed-share.js';
import { isRotated, type JobWave, planJobs } from './plan-jobs.js';
import { type RowEvaluator, rowEvaluator } from './row-evaluator.js';
import { failedRow } from './score-row.js';
import { selfCheck } from './self-check.js';

export interface WaveRun {
  readonly encoded: EncodedPrompts;
  /** The part of the waves that is scored here; absent: all. */
  readonly share?: Share | undefined;
  /** The ids of prompts that only fill batches up, for each job; absent: none. */
  readonly skipped?: readonly ReadonlySet<string>[];
  readonly contexts: readonly [EvaluationContext, ...EvaluationContext[]];
  readonly facts: ModelFacts;
  /** Where prompts are evaluated alone to compare them with a batch, and what may differ. */
  readonly reference: { readonly context: EvaluationContext; readonly tolerance: number };
  readonly trainContextSize: number;
  /** Jobs whose prompts follow the plain prompts of another job; absent: none. */
  readonly otherOrders?: readonly OtherOrders[];
  readonly maxFailedShare: number;
  readonly send: (message: FromWorker) => void;
  readonly acks: AckQueue;
  readonly stopped: () => boolean;
}

/**
 * Scores all prompts, job by job; every prompt ends as exactly one row unless the run is stopped. Rotated options come
 * with their plain prompts or last: what they build on is safe by then, in whichever context it was evaluated.
 *
 * @throws Error when too many rows fail; those sent before count
 */
export async function scoreWaves(run: WaveRun): Promise<void> {
  const { contexts, send } = run;
  const usable = Math.min(...contexts.map((context) => context.tokensPerSequence - 1));
  const { failed, waves: all } = planJobs(run, usable);
  const { index, count, ordersWithPlainOnly = false } = run.share ?? { index: 0, count: 1 };
  const planned = all.filter(
    (wave) =>
      wave.rows.some(({ job, prompt }) => getsRow(run, job, prompt.id)) && !(ordersWithPlainOnly && isRotated(wave)),
  );
  // Planned with all prompts, a wave is the same whoever evaluates it.
  const waves = planned.filter((_, n) => n % count === index);
  if (contexts[0].inTurn === true) waves.splice(0, 1, ...startingWaves(waves[0]));
  const first = waves[0];
  if (first !== undefined) announce(run, first);
  const evaluate = rowEvaluator(all.flatMap(promptsOf));
  const checked = await checkFirst(run, first, evaluate);
  send({ kind: 'loaded', facts: checked.facts });
  for (const [job, rows] of failed.entries()) {
    const asked = rows.filter(({ id }) => getsRow(run, job, id));
    if (asked.length > 0) await sendRows(run, job, asked, 0);
  }
  const share = failedShare(run.maxFailedShare);
  if (first !== undefined && checked.rows !== null) {
    share.count(checked.rows);
    await deliver(run, first, checked.rows);
    waves.shift();
  }
  const work = async (context: EvaluationContext, left: JobWave[]) => {
    while (!run.stopped() && share.fault() === null) {
      const wave = left.shift();
      if (wave === undefined) return;
      if (wave !== first) announce(run, wave);
      const rows = await evaluateWave(evaluate, context, wave);
      share.count(rows);
      await deliver(run, wave, rows);
    }
  };
  for (const rotated of [false, true]) {
    const left = waves.filter((wave) => isRotated(wave) === rotated);
    await Promise.all(contexts.map((context) => work(context, left)));
  }
  const fault = share.fault();
  if (fault !== null) throw new Error(fault);
}

/**
 * Where every prompt has a pass of its own, a wave is nothing but prompts in hand: the first one, which all contexts
 * but one wait for, has no more than two, with the other orders of their options.
 */
function startingWaves(first: JobWave | undefined): JobWave[] {
  if (first === undefined) return [];
  const most = 2 * sequenceStep(first);
  if (first.rows.length <= most || first.rows[0]?.prompt.kind === 'reply') return [first];
  return [first.rows.slice(0, most), first.rows.slice(most)].map((rows) => ({ ...first, rows }));
}

/** How many rows of a wave a sequence takes: two where plain prompts stand with the other orders of their options. */
function sequenceStep({ rows }: JobWave): number {
  return rows[0]?.prompt.kind === 'ok' && rows[1]?.prompt.kind === 'rotations' ? 2 : 1;
}

async function checkFirst(run: WaveRun, first: JobWave | undefined, evaluate: RowEvaluator) {
  const { contexts, facts, reference } = run;
  if (first === undefined || first.rows.length < 2 || first.rows[0]?.prompt.kind === 'reply')
    return { facts, rows: null };
  const { shared } = first;
  // Where plain prompts stand with the other orders of their options, the plain ones are compared.
  const step = sequenceStep(first);
  const rows = promptsOf(first);
  const at = (place: number) => rows.slice(place, place + 1);
  const check = () =>
    selfCheck(
      {
        together: () => evaluate(contexts[0], rows, shared),
        alone: (place) => evaluate(reference.context, at(place), shared),
        ...(shared.length > 0 && { whole: (place: number) => evaluate(reference.context, at(place), []) }),
        places: checkedPlaces(
          rows.filter((_, n) => n % step === 0).map(({ tokens }) => tokens.length),
          contexts[0].inTurn === true,
        ).map((place) => step * place),
        tolerance: reference.tolerance,
        apart: reference.context !== contexts[0],
      },
      facts,
    );
  const checked = await check();
  if (contexts[0].inTurn !== true || (checked.facts.selfCheck?.maxDifference ?? 0) === 0) return checked;
  // Short prompts met in a pass where that was to leave no trace: from now on none does.
  for (const context of new Set([...contexts, reference.context])) context.apart?.();
  return await check();
}

/** A batch that fails as a whole is evaluated prompt by prompt, so that one prompt cannot take others with it. */
export async function evaluateWave(
  evaluate: RowEvaluator,
  context: EvaluationContext,
  wave: JobWave,
): Promise<ModelRow[]> {
  const { shared } = wave;
  const rows = promptsOf(wave);
  const together = await evaluateSafely(evaluate, context, rows, shared);
  if (rows.length === 1 || together.some((row) => row.status !== 'failed')) return together;
  const alone: ModelRow[] = [];
  for (const row of rows) alone.push(...(await evaluateSafely(evaluate, context, [row], shared)));
  return alone;
}

async function evaluateSafely(
  evaluate: RowEvaluator,
  context: EvaluationContext,
  rows: readonly ReadyPrompt[],
  shared: readonly number[],
): Promise<ModelRow[]> {
  try {
    return await evaluate(context, rows, shared);
  } catch (error) {
    const reason = `evaluation failed: ${error instanceof Error ? error.message : String(error)}`;
    return rows.map((row) => failedRow(row.id, reason, row.tokens.length));
  }
}

/** A message per job; each names all tokens of the wave, since its rows come no sooner than the others. */
function announce(run: WaveRun, wave: JobWave): void {
  const tokens = wave.rows.reduce((sum, row) => sum + row.tokens, 0);
  for (const [job, indexes] of indexesByJob(run, wave))
    run.send({ kind: 'batch', job, ids: indexes.flatMap((index) => wave.rows[index]?.prompt.id ?? []), tokens });
}

/**
 * Resolves when the rows are safe from a kill. Nothing else is evaluated in their context before, so that a kill costs
 * one batch a context; the other context of a GPU, or the processor time that storing takes anyway, fills the gap.
 */
async function deliver(run: WaveRun, wave: JobWave, rows: readonly ModelRow[]): Promise<void> {
  await Promise.all(
    [...indexesByJob(run, wave)].map(([job, indexes]) => {
      const tokens = indexes.reduce((sum, index) => sum + (wave.rows[index]?.tokens ?? 0), 0);
      const rowsOfJob = indexes.flatMap((index) => rows[index] ?? []);
      return sendRows(run, job, rowsOfJob, tokens);
    }),
  );
}

async function sendRows(run: WaveRun, job: number, rows: readonly ModelRow[], tokens: number): Promise<void> {
  const ack = run.acks.next();
  run.send({ kind: 'rows', job, rows, tokens });
  await ack;
}

/** The places in a wave that get rows. */
function indexesByJob(run: WaveRun, { rows }: JobWave): Map<number, number[]> {
  const byJob = new Map<number, number[]>();
  for (const [index, { job, prompt }] of rows.entries()) {
    if (!getsRow(run, job, prompt.id)) continue;
    const known = byJob.get(job);
    if (known === undefined) byJob.set(job, [index]);
    else known.push(index);
  }
  return byJob;
}

function getsRow({ skipped }: WaveRun, job: number, id: string): boolean {
  return skipped?.[job]?.has(id) !== true;
}

function promptsOf({ rows }: Pick<JobWave, 'rows'>): ReadyPrompt[] {
  return rows.map(({ prompt }) => prompt);
}
