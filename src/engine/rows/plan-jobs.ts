import type { EncodedPrompts } from '../encode/encode-jobs.js';
import type { EncodedReply } from '../encode/encode-reply.js';
import type { ReadyPrompt } from '../encode/encoded-prompt.js';
import { plainStem } from '../encode/plain-stem.js';
import { allTokens, cellsOf, firstPassTokens, laterPassTokens } from '../encode/prompt-size.js';
import { beginsWith } from '../encode/shared-tokens.js';
import type { EvaluationContext } from '../protocol/backend.js';
import type { OtherOrders } from '../protocol/protocol.js';
import { replyGroups } from './evaluate-replies.js';
import type { JobGroup, JobPrompt } from './job-prompt.js';
import { joinOrders, type WithOrders } from './join-orders.js';
import { planWaves } from './plan-waves.js';
import { unfitRow } from './unfit-row.js';

/** Prompts that are evaluated together; those of several jobs only where their replies share a prompt. */
export interface JobWave {
  readonly rows: readonly JobPrompt[];
  /** Tokens at the beginning of every row that the context keeps from wave to wave; may be none. */
  readonly shared: readonly number[];
}

/** All rows of a data set must have so many tokens for each token that a further sequence keeps, in four contexts. */
const KEPT_COST = 16;

/** The part of a `WaveRun` that decides which prompts are evaluated together. */
interface JobsToPlan {
  readonly encoded: EncodedPrompts;
  readonly contexts: readonly [EvaluationContext, ...EvaluationContext[]];
  readonly trainContextSize: number;
  /** Jobs whose prompts may follow the plain prompts of another job; absent: none. */
  readonly otherOrders?: readonly OtherOrders[];
}

/**
 * Puts the prompts of all jobs into waves, job by job, rotated options last where they do not follow their plain
 * prompts; the replies to one prompt stand together, whatever jobs want them.
 * A prompt that was refused or is too long becomes a failed row.
 *
 * @param usable tokens that one sequence of the context may hold
 */
export function planJobs(run: JobsToPlan, usable: number) {
  const limit = Math.min(usable, run.trainContextSize);
  const context = run.contexts[0];
  const waves: JobWave[] = [];
  const plan = (groups: readonly JobGroup[], shared: readonly number[]) => {
    const lengths = groups.map(([first]) => firstPassTokens(first.prompt) - shared.length);
    const later = groups.map(laterTokens);
    const [sequences, room] = roomFor(context, groups, shared.length);
    for (const wave of planWaves(lengths, sequences, room, later))
      waves.push({ rows: wave.flatMap((index) => groups[index] ?? []), shared });
  };
  const ready = run.encoded.jobs.map((prompts, job) =>
    prompts
      .filter((prompt): prompt is ReadyPrompt => prompt.kind !== 'refused' && cellsOf(prompt) <= limit)
      .map((prompt): JobPrompt => ({ job, prompt, tokens: allTokens(prompt) })),
  );
  const joined = joinedByJob(run, ready);
  const isJoined = new Set([...joined.values()].flat(2).map(({ prompt }) => prompt));
  for (const [job, rows] of ready.entries()) {
    const kept = run.encoded.shared[job] ?? [];
    for (const { rows: groups, shared } of byBeginning(joined.get(job) ?? [], kept)) plan(groups, shared);
    // A job has one mode; two would not fit one batch.
    for (const kind of ['ok', 'text', 'rotations'] as const) {
      const ofMode = rows.filter((row) => row.prompt.kind === kind && !isJoined.has(row.prompt));
      const single = ofMode.map((row): JobGroup => [row]);
      for (const { rows: groups, shared } of byBeginning(single, kept)) plan(groups, shared);
    }
  }
  const replies = ready.flat().filter(({ prompt }) => prompt.kind === 'reply');
  for (const { job, groups } of replyLots(replies)) {
    for (const { rows, shared } of byBeginning(groups, run.encoded.shared[job] ?? [])) plan(rows, shared);
  }
  const failed = run.encoded.jobs.map((prompts) =>
    prompts.flatMap((prompt) => unfitRow(prompt, usable, run.trainContextSize)),
  );
  return { failed, waves: waves.toSorted((a, b) => Number(isRotated(a)) - Number(isRotated(b))) };
}

/** Plain prompts with the other orders of their options, by the number of the plain job. */
function joinedByJob(
  { otherOrders = [], encoded, contexts: [context] }: JobsToPlan,
  ready: readonly (readonly JobPrompt[])[],
): Map<number, WithOrders[]> {
  return new Map(
    otherOrders.map(({ plain, orders }) => {
      const [first, second] = [ready[plain] ?? [], ready[orders] ?? []];
      return [plain, joinOrders({ plain: first, orders: second, shared: encoded.shared[plain] ?? [], context })];
    }),
  );
}

/** Tokens of the longest pass after the first one: other orders branch from the stem of their plain prompt. */
function laterTokens([{ prompt: first }, second]: JobGroup): number {
  if (first.kind !== 'ok' || second?.prompt.kind !== 'rotations') return laterPassTokens(first);
  return cellsOf(second.prompt) - plainStem(first, second.prompt);
}

/**
 * How many prompts a wave may have, and how many tokens. On a card prompts with branches fill all sequences, whatever
 * one pass holds: their short branches then share passes that would read all weights for a few tokens. Kept tokens are
 * evaluated in each sequence anew, so that few rows fill few of them.
 */
function roomFor(
  context: EvaluationContext,
  groups: readonly JobGroup[],
  kept: number,
): readonly [sequences: number, tokens: number] {
  const { sequences, batchSize, inTurn, fills } = context;
  const [first] = groups;
  if (inTurn === true) return [sequences, Number.POSITIVE_INFINITY];
  if (fills !== true || first === undefined || (first[0].prompt.kind === 'ok' && first.length === 1))
    return [sequences, batchSize];
  if (kept === 0) return [sequences, Number.POSITIVE_INFINITY];
  const own = groups.reduce((sum, [{ prompt }]) => sum + firstPassTokens(prompt) - kept, 0);
  const inOnePass = Math.floor((batchSize * groups.length) / Math.max(1, own));
  const worthIt = Math.floor(own / (KEPT_COST * kept));
  return [Math.max(1, Math.min(sequences, Math.max(inOnePass, worthIt))), Number.POSITIVE_INFINITY];
}

export function isRotated({ rows }: JobWave): boolean {
  return rows[0]?.prompt.kind === 'rotations';
}

/** The prompts of a wave, in its order. */
export function promptsOf({ rows }: Pick<JobWave, 'rows'>): ReadyPrompt[] {
  return rows.map(({ prompt }) => prompt);
}

/** Prompts with all their replies; those that the same jobs want stand together, under the first of these jobs. */
function replyLots(replies: readonly JobPrompt[]): { readonly job: number; readonly groups: JobGroup[] }[] {
  const lots = new Map<string, { readonly job: number; readonly groups: JobGroup[] }>();
  for (const [first, ...others] of replyGroups(replies, ({ prompt }) => prompt as EncodedReply)) {
    const jobs = [...new Set([first, ...others].map(({ job }) => job))].join(' ');
    const lot = lots.get(jobs) ?? { job: first.job, groups: [] };
    const later = others.map((each) => ({ ...each, tokens: each.tokens - each.prompt.tokens.length }));
    lot.groups.push([first, ...later]);
    lots.set(jobs, lot);
  }
  return [...lots.values()];
}

/** The prompts that begin with the shared tokens, and those (rare) that the tokenizer cut differently. */
function byBeginning(groups: readonly JobGroup[], shared: readonly number[]) {
  if (shared.length === 0) return [{ rows: groups, shared }];
  const begins = ([first]: JobGroup) => beginsWith(first.prompt.tokens, shared);
  return [
    { rows: groups.filter(begins), shared },
    { rows: groups.filter((group) => !begins(group)), shared: [] },
  ];
}
