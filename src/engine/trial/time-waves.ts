import type { EncodedPrompts } from '../encode/encode-jobs.js';
import type { EvaluationContext } from '../protocol/backend.js';
import type { OtherOrders, TrialTime } from '../protocol/protocol.js';
import { type FailedShare, failedShare } from '../rows/failed-share.js';
import { type JobWave, planJobs } from '../rows/plan-jobs.js';
import { rowEvaluator } from '../rows/row-evaluator.js';
import { evaluateWave } from '../rows/score-waves.js';
import { leastOf, slownessOfReplies, type WaveTime } from './time-replies.js';
import { TrialClock } from './trial-clock.js';
import { isFirst, wavesByKind, workOf } from './wave-kinds.js';

export interface TimedWaves {
  readonly encoded: EncodedPrompts;
  readonly contexts: readonly [EvaluationContext, ...EvaluationContext[]];
  readonly trainContextSize: number;
  readonly otherOrders: readonly OtherOrders[];
  readonly maxFailedShare: number;
  /** How long batches of a kind begin, in milliseconds. */
  readonly ms: number;
  readonly stopped: () => boolean;
  /** Called now and then: a trial of many kinds takes minutes. */
  readonly onAlive: () => void;
}

/** Every context begins so many batches of a kind at least, unless `MOST_MS` are over. */
const LEAST_ROUNDS = 2;
const MOST_MS = 2500;
/** Prompts of a batch that warm a context up: kernels are loaded and memory is touched then. */
const WARMING = 2;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * How long all prompts would take in the given contexts: batches are planned as for a run, and some of each kind
 * (letters, texts, other orders, replies) are evaluated to know the pace of that kind. Kinds have a pace of their own,
 * since a batch of replies takes a hundred times as long as one of letters.
 */
export async function timeWaves(timed: TimedWaves): Promise<TrialTime> {
  const { contexts } = timed;
  const usable = Math.min(...contexts.map((context) => context.tokensPerSequence - 1));
  const { waves } = planJobs(timed, usable);
  // What fails is fast: a shape that the card cannot evaluate must not look like one that it evaluates well.
  const share = failedShare(timed.maxFailedShare, 1);
  let ms = 0;
  for (const kinds of wavesByKind(waves)) {
    const least = timed.ms / kinds.length;
    for (const kind of kinds) ms += workOf(kind) * (await slownessOf(spread(kind), share, { ...timed, ms: least }));
  }
  const rows = waves.reduce((sum, wave) => sum + wave.rows.length, 0);
  return { rows, seconds: ms / 1000, fault: share.fault() };
}

/** Milliseconds for each unit of work (`workOf`) of batches of one kind and beginning. */
async function slownessOf(kind: readonly JobWave[], share: FailedShare, timed: TimedWaves): Promise<number> {
  const isReplies = kind[0]?.rows[0]?.prompt.kind === 'reply';
  await warmUp(isReplies ? leastOf(kind) : kind, timed);
  if (!isReplies) return (await timeOf(kind, share, timed)).slowness;
  return await slownessOfReplies(kind, (waves) => timeOf(waves, share, { ...timed, ms: timed.ms / 2 }));
}

/** Where a context keeps tokens for batches, as many sequences as any of them needs get these. */
async function warmUp(waves: readonly JobWave[], { contexts, onAlive }: TimedWaves): Promise<void> {
  onAlive();
  const evaluate = rowEvaluator([]);
  const most = waves.reduce((more, each) => (each.rows.length > more.rows.length ? each : more));
  await Promise.all(
    contexts.map(async (context, n) => {
      const wave = waves[n % waves.length] ?? most;
      const few = { ...wave, rows: wave.rows.slice(0, WARMING) };
      await evaluateWave(evaluate, context, wave.shared.length === 0 ? few : most);
    }),
  );
}

async function timeOf(waves: readonly JobWave[], share: FailedShare, timed: TimedWaves): Promise<WaveTime> {
  const { contexts, ms, stopped, onAlive } = timed;
  onAlive();
  const left = [...waves];
  // No pmi prompts ahead, as in a run: those of batches that are not evaluated here would count for those that are.
  const evaluate = rowEvaluator([]);
  const began = performance.now();
  const clock = new TrialClock(began);
  const evaluated: JobWave[] = [];
  const replies: number[] = [];
  const goesOn = () => {
    const now = performance.now() - began;
    return !stopped() && now < MOST_MS && (now < ms || clock.begun < LEAST_ROUNDS * contexts.length);
  };
  await Promise.all(
    contexts.map(async (context) => {
      while (goesOn()) {
        const wave = left.shift();
        if (wave === undefined) break;
        const batch = clock.begin(workOf([wave]), performance.now());
        const rows = await evaluateWave(evaluate, context, wave);
        clock.end(batch, performance.now());
        share.count(rows);
        evaluated.push(wave);
        replies.push(...rows.flatMap((row) => (row.status === 'replied' ? [row.replyTokens] : [])));
      }
      clock.idle(performance.now());
    }),
  );
  const prompts = evaluated.flatMap(({ rows }) => rows.filter(isFirst)).length;
  return {
    slowness: 1 / clock.pace(contexts.length),
    each: prompts === 0 ? 1 : workOf(evaluated) / prompts,
    written: replies.reduce((sum, tokens) => sum + tokens, 0) / Math.max(1, replies.length),
  };
}

/** Batches are planned longest first: the first few in this order are of all lengths. */
function spread(waves: readonly JobWave[]): JobWave[] {
  return waves
    .map((wave, n) => ({ wave, place: (n * GOLDEN) % 1 }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ wave }) => wave);
}
