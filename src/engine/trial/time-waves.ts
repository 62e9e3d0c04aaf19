import type { EncodedPrompts } from '../encode/encode-jobs.js';
import type { EvaluationContext } from '../protocol/backend.js';
import type { OtherOrders, TrialTime } from '../protocol/protocol.js';
import { failedShare } from '../rows/failed-share.js';
import { type JobWave, planJobs } from '../rows/plan-jobs.js';
import { rowEvaluator } from '../rows/row-evaluator.js';
import { evaluateWave } from '../rows/score-waves.js';
import { leastOf, slownessOfReplies, type WaveTime } from './time-replies.js';
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

interface Timing extends TimedWaves {
  /** Called where too many rows fail. */
  readonly onFault: (fault: string) => void;
}

/** Every context begins so many batches of a kind at least, unless that would take longer than `MOST_MS`. */
const LEAST_ROUNDS = 2;
const MOST_MS = 4000;
/**
 * Batches of no more beginnings that contexts keep are evaluated for a kind: each of them is warmed up, and begins two
 * batches in every context, which for twelve data sets would take minutes.
 */
const MOST_BEGINNINGS = 3;
/** Prompts of a batch that warm further contexts up: memory is touched then. */
const WARMING = 2;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * How long all prompts would take in the given contexts: batches are planned as for a run, and some of each kind
 * (letters, texts, other orders, replies) are evaluated to know the pace of that kind. Kinds have a pace of their own,
 * since a batch of replies takes a hundred times as long as one of letters; where contexts keep many beginnings for a
 * kind, those with the most work tell its pace.
 */
export async function timeWaves(timed: TimedWaves): Promise<TrialTime> {
  const { contexts } = timed;
  const usable = Math.min(...contexts.map((context) => context.tokensPerSequence - 1));
  const { waves } = planJobs(timed, usable);
  let ms = 0;
  const faults: string[] = [];
  const onFault = (fault: string) => void faults.push(fault);
  for (const kinds of wavesByKind(waves)) {
    const largest = kinds.toSorted((a, b) => workOf(b) - workOf(a)).slice(0, MOST_BEGINNINGS);
    let ofLargest = 0;
    for (const kind of largest) {
      const timing = { ...timed, ms: timed.ms / largest.length, onFault };
      ofLargest += workOf(kind) * (await slownessOf(spread(kind), timing));
    }
    ms += (ofLargest * workOf(kinds.flat())) / workOf(largest.flat());
  }
  const rows = waves.reduce((sum, wave) => sum + wave.rows.length, 0);
  return { rows, seconds: ms / 1000, fault: faults[0] ?? null };
}

/** Milliseconds for each unit of work (`workOf`) of batches of one kind and beginning. */
async function slownessOf(kind: readonly JobWave[], timed: Timing): Promise<number> {
  const isReplies = kind[0]?.rows[0]?.prompt.kind === 'reply';
  await warmUp(isReplies ? leastOf(kind) : kind, timed);
  if (!isReplies) return (await timeOf(kind, timed)).slowness;
  return await slownessOfReplies(kind, (waves) => timeOf(waves, { ...timed, ms: timed.ms / 2 }));
}

/**
 * The first context evaluates a whole batch: a card compiles or loads its kernels for a size as that size first comes.
 * Where contexts keep tokens for batches, as many sequences as any of them needs get these.
 */
async function warmUp(waves: readonly JobWave[], { contexts, onAlive }: TimedWaves): Promise<void> {
  onAlive();
  const evaluate = rowEvaluator([]);
  const most = waves.reduce((more, each) => (each.rows.length > more.rows.length ? each : more));
  await Promise.all(
    contexts.map(async (context, n) => {
      const wave = waves[n % waves.length] ?? most;
      const few = { ...wave, rows: wave.rows.slice(0, WARMING) };
      await evaluateWave(evaluate, context, n > 0 && wave.shared.length === 0 ? few : most);
    }),
  );
}

/**
 * The time from the first batch to the end of the last one. A card serves contexts in turns, so that a batch that is
 * under way may not have begun there: only those that have ended count. Each context evaluates as many, since a card
 * that some of them have left is not the card of a run.
 */
async function timeOf(waves: readonly JobWave[], timed: Timing): Promise<WaveTime> {
  const { contexts, ms, stopped, onAlive } = timed;
  onAlive();
  const left = [...waves];
  // No pmi prompts ahead, as in a run: those of batches that are not evaluated here would count for those that are.
  const evaluate = rowEvaluator([]);
  // What fails is fast: a shape that the card cannot evaluate must not look like one that it evaluates well.
  const share = failedShare(timed.maxFailedShare, 1);
  const began = performance.now();
  let rounds = 1;
  const evaluated: JobWave[] = [];
  const longest: number[] = [];
  const goesOn = (own: number) => {
    if (stopped()) return false;
    if (own < rounds) return true;
    const now = performance.now() - began;
    return now < ms || (own < LEAST_ROUNDS && (now * (own + 1)) / own <= MOST_MS);
  };
  await Promise.all(
    contexts.map(async (context) => {
      for (let own = 0; goesOn(own); own++) {
        const wave = left.shift();
        if (wave === undefined) break;
        rounds = Math.max(rounds, own + 1);
        const rows = await evaluateWave(evaluate, context, wave);
        share.count(rows);
        evaluated.push(wave);
        longest.push(Math.max(0, ...rows.map((row) => (row.status === 'replied' ? row.replyTokens : 0))));
      }
    }),
  );
  const took = performance.now() - began;
  const fault = share.fault();
  if (fault !== null) timed.onFault(fault);
  const work = workOf(evaluated);
  const rows = evaluated.flatMap((wave) => wave.rows);
  const prompts = rows.filter(isFirst).length;
  return {
    slowness: work === 0 ? Number.POSITIVE_INFINITY : took / work,
    each: prompts === 0 ? 1 : work / prompts,
    replies: prompts === 0 ? 1 : rows.length / prompts,
    written: longest.reduce((sum, tokens) => sum + tokens, 0) / Math.max(1, longest.length),
  };
}

/** Batches are planned longest first: the first few in this order are of all lengths. */
function spread(waves: readonly JobWave[]): JobWave[] {
  return waves
    .map((wave, n) => ({ wave, place: (n * GOLDEN) % 1 }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ wave }) => wave);
}
