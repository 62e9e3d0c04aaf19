import type { EncodedPrompts } from './encode/encode-jobs.js';
import type { EvaluationContext } from './protocol/backend.js';
import type { OtherOrders, TrialTime } from './protocol/protocol.js';
import { type FailedShare, failedShare } from './rows/failed-share.js';
import type { JobPrompt } from './rows/job-prompt.js';
import { type JobWave, planJobs } from './rows/plan-jobs.js';
import { rowEvaluator } from './rows/row-evaluator.js';
import { evaluateWave } from './rows/score-waves.js';
import { lightened, wavesByKind, workOf } from './rows/wave-kinds.js';
import { TrialClock } from './trial-clock.js';

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
const MOST_MS = 4000;
/** Prompts of a batch, and tokens of a reply, that warm a context up: kernels are loaded and memory is touched then. */
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
    for (const kind of kinds) ms += workOf(kind) / (await paceOf(kind, share, { ...timed, ms: least }));
  }
  const rows = waves.reduce((sum, wave) => sum + wave.rows.length, 0);
  return { rows, seconds: ms / 1000, fault: share.fault() };
}

/** Work in a millisecond (`workOf`), of batches of one kind and beginning. */
async function paceOf(kind: readonly JobWave[], share: FailedShare, timed: TimedWaves): Promise<number> {
  const { contexts, ms, stopped, onAlive } = timed;
  onAlive();
  const left = spread(kind).map(lightened);
  // No pmi prompts ahead, as in a run: those of batches that are not evaluated here would count for those that are.
  const [warmUp, evaluate] = [rowEvaluator([]), rowEvaluator([])];
  await Promise.all(
    contexts.map(async (context, n) => {
      const wave = warming(left, n);
      if (wave !== undefined) await evaluateWave(warmUp, context, wave);
    }),
  );
  onAlive();
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
        if (wave === undefined) break;
        const batch = clock.begin(workOf([wave]), performance.now());
        share.count(await evaluateWave(evaluate, context, wave));
        clock.end(batch, performance.now());
      }
      clock.idle(performance.now());
    }),
  );
  return clock.pace(contexts.length);
}

/** What warms a context up: where it keeps tokens for batches, as many sequences as any of them needs get these. */
function warming(waves: readonly JobWave[], n: number): JobWave | undefined {
  const wave = waves[n % waves.length];
  if (wave === undefined) return undefined;
  const whole = waves.reduce((most, each) => (each.rows.length > most.rows.length ? each : most));
  const { rows, shared } = wave.shared.length === 0 ? { ...wave, rows: wave.rows.slice(0, WARMING) } : whole;
  return { rows: rows.map((row) => ({ ...row, prompt: cutShort(row.prompt) })), shared };
}

function cutShort(prompt: JobPrompt['prompt']): JobPrompt['prompt'] {
  if (prompt.kind !== 'reply' || prompt.form !== null) return prompt;
  return { ...prompt, request: { ...prompt.request, maxTokens: Math.min(WARMING, prompt.request.maxTokens) } };
}

/** Batches are planned longest first: the first few in this order are of all lengths. */
function spread(waves: readonly JobWave[]): JobWave[] {
  return waves
    .map((wave, n) => ({ wave, place: (n * GOLDEN) % 1 }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ wave }) => wave);
}
