import type { ModelRow } from '../../contract/scored-row.js';
import type { ModelFacts } from '../../contract/scorer.js';
import type { EncodedPrompts } from '../encode/encode-jobs.js';
import type { ReadyPrompt } from '../encode/encoded-prompt.js';
import type { EvaluationContext } from '../protocol/backend.js';
import type { FromWorker, OtherOrders, Share } from '../protocol/protocol.js';
import type { AckQueue } from './ack-queue.js';
import { checkFirst, startingWaves } from './check-first.js';
import { failedShare } from './failed-share.js';
import { isRotated, type JobWave, planJobs, promptsOf } from './plan-jobs.js';
import { type RowEvaluator, rowEvaluator } from './row-evaluator.js';
import { failedRow } from './score-row.js';

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
  const first = waves.shift();
  if (first !== undefined) announce(run, first);
  const evaluate = rowEvaluator(all.flatMap(promptsOf));
  const checking = checkFirst(run, first, evaluate);
  const begun = beginMeanwhile(run, waves, evaluate);
  const checked = await checking;
  send({ kind: 'loaded', facts: checked.facts });
  for (const [job, rows] of failed.entries()) {
    const asked = rows.filter(({ id }) => getsRow(run, job, id));
    if (asked.length > 0) await sendRows(run, job, asked, 0);
  }
  const share = failedShare(run.maxFailedShare);
  const keep = async (wave: JobWave, rows: readonly ModelRow[]) => {
    share.count(rows);
    await deliver(run, wave, rows);
  };
  if (first !== undefined) {
    if (checked.rows === null) waves.unshift(first);
    else await keep(first, checked.rows);
  }
  const work = async (context: EvaluationContext, left: JobWave[]) => {
    const early = begun.get(context);
    begun.delete(context);
    if (early !== undefined) {
      const rows = await early.rows;
      await keep(early.wave, checked.putApart ? await evaluateWave(evaluate, context, early.wave) : rows);
    }
    while (!run.stopped() && share.fault() === null) {
      const wave = left.shift();
      if (wave === undefined) return;
      if (wave !== first) announce(run, wave);
      await keep(wave, await evaluateWave(evaluate, context, wave));
    }
  };
  for (const rotated of [false, true]) {
    const left = waves.filter((wave) => isRotated(wave) === rotated);
    await Promise.all(contexts.map((context) => work(context, left)));
  }
  const fault = share.fault();
  if (fault !== null) throw new Error(fault);
}

/** A wave that a context evaluates before the check has ended. */
interface BegunWave {
  readonly wave: JobWave;
  readonly rows: Promise<readonly ModelRow[]>;
}

/**
 * Contexts that the check leaves alone begin with the next waves of plain prompts: with a context a core all but two of
 * them would wait, for seconds where a model is large.
 */
function beginMeanwhile(run: WaveRun, waves: JobWave[], evaluate: RowEvaluator): Map<EvaluationContext, BegunWave> {
  const [checked, ...others] = run.contexts;
  const begun = new Map<EvaluationContext, BegunWave>();
  if (checked.inTurn !== true) return begun;
  for (const context of others) {
    const [wave] = waves;
    if (context === run.reference.context || wave === undefined || isRotated(wave)) continue;
    waves.shift();
    announce(run, wave);
    begun.set(context, { wave, rows: evaluateWave(evaluate, context, wave) });
  }
  return begun;
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
