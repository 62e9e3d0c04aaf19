import type { EncodedPrompts } from './encode/encode-jobs.js';
import type { EvaluationContext } from './protocol/backend.js';
import type { OtherOrders, TrialTime } from './protocol/protocol.js';
import { isRotated, type JobWave, planJobs } from './rows/plan-jobs.js';
import { type RowEvaluator, rowEvaluator } from './rows/row-evaluator.js';
import { evaluateWave } from './rows/score-waves.js';
import { TrialClock } from './trial-clock.js';

export interface TimedWaves {
  readonly encoded: EncodedPrompts;
  readonly contexts: readonly [EvaluationContext, ...EvaluationContext[]];
  readonly trainContextSize: number;
  readonly otherOrders: readonly OtherOrders[];
  /** How long batches of a kind begin, in milliseconds. */
  readonly ms: number;
  readonly stopped: () => boolean;
}

/** Every context begins so many batches of a kind at least, unless `MOST_MS` are over. */
const LEAST_ROUNDS = 2;
const MOST_MS = 20_000;
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
  const evaluate = rowEvaluator(waves.flatMap(({ rows }) => rows.map(({ prompt }) => prompt)));
  let ms = 0;
  for (const kind of byKind(waves)) ms += workOf(kind) / (await paceOf(kind, evaluate, timed));
  const rows = waves.reduce((sum, wave) => sum + wave.rows.length, 0);
  return { rows, seconds: ms / 1000, contexts: contexts.length };
}

function byKind(waves: readonly JobWave[]): JobWave[][] {
  const kinds = new Map<string, JobWave[]>();
  for (const wave of waves) {
    // Plain prompts that the other orders of their options follow begin as letters do, and take longer.
    const kind = `${wave.rows[0]?.prompt.kind} ${wave.rows.some(({ prompt }) => prompt.kind === 'rotations')}`;
    const known = kinds.get(kind);
    if (known === undefined) kinds.set(kind, [wave]);
    else known.push(wave);
  }
  return [...kinds.values()].toSorted((a, b) => Number(a.some(isRotated)) - Number(b.some(isRotated)));
}

/** Tokens that are evaluated in a millisecond. */
async function paceOf(kind: readonly JobWave[], evaluate: RowEvaluator, timed: TimedWaves): Promise<number> {
  const { contexts, ms, stopped } = timed;
  const left = spread(kind);
  await Promise.all(
    contexts.map(async (context, n) => {
      const wave = left[n % left.length];
      if (wave !== undefined) await evaluateWave(evaluate, context, { ...wave, rows: wave.rows.slice(0, WARMING) });
    }),
  );
  const began = performance.now();
  const clock = new TrialClock(began);
  const goesOn = () => {
    const now = performance.now() - began;
    return !stopped() && now < MOST_MS && (now < ms || clock.begun < LEAST_ROUNDS * contexts.length);
  };
  await Promise.all(
    contexts.map(async (context) => {
      while (goesOn()) {
        const wave = left.shift();
        if (wave === undefined) return;
        const batch = clock.begin(workOf([wave]), performance.now());
        await evaluateWave(evaluate, context, wave);
        clock.end(batch, performance.now());
      }
    }),
  );
  return clock.pace(contexts.length);
}

/** Batches are planned longest first: the first few in this order are of all lengths. */
function spread(waves: readonly JobWave[]): JobWave[] {
  return waves
    .map((wave, n) => ({ wave, place: (n * GOLDEN) % 1 }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ wave }) => wave);
}

function workOf(waves: readonly JobWave[]): number {
  return waves.reduce((sum, { rows }) => sum + rows.reduce((tokens, row) => tokens + row.tokens, 0), 0);
}
