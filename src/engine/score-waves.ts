import type { ModelFacts } from '../scoring/contract.js';
import type { ModelRow } from '../scoring/scored-row.js';
import type { EvaluationContext } from './backend.js';
import type { EncodedPrompts, ReadyPrompt } from './encode-jobs.js';
import { replyGroups } from './evaluate-replies.js';
import { planWaves } from './plan-waves.js';
import { allTokens, cellsOf, firstPassTokens, laterPassTokens } from './prompt-size.js';
import type { FromWorker } from './protocol.js';
import { type RowEvaluator, rowEvaluator } from './row-evaluator.js';
import { failedRow } from './score-row.js';
import type { AckGate } from './score-session.js';
import { selfCheck } from './self-check.js';
import { beginsWith } from './shared-tokens.js';

interface JobWave {
  readonly job: number;
  readonly rows: readonly ReadyPrompt[];
  /** Tokens at the beginning of every row that the context keeps from wave to wave; may be none. */
  readonly shared: readonly number[];
}

export interface WaveRun {
  readonly encoded: EncodedPrompts;
  readonly contexts: readonly [EvaluationContext, ...EvaluationContext[]];
  readonly facts: ModelFacts;
  readonly trainContextSize: number;
  readonly send: (message: FromWorker) => void;
  readonly acks: AckGate;
  readonly stopped: () => boolean;
}

/** Scores all prompts, job by job; every prompt ends as exactly one row unless the run is stopped. */
export async function scoreWaves(run: WaveRun): Promise<void> {
  const { contexts, send } = run;
  const usable = Math.min(...contexts.map((context) => context.tokensPerSequence - 1));
  const { failed, waves } = sortOut(run, usable);
  const first = waves[0];
  if (first !== undefined) announce(send, first);
  const evaluate = rowEvaluator(waves.flatMap((wave) => wave.rows));
  const checked = await checkFirst(run, first, evaluate);
  send({ kind: 'loaded', facts: checked.facts });
  for (const [job, rows] of failed.entries()) {
    if (rows.length > 0) await deliver(run, job, rows, 0);
  }
  if (first !== undefined && checked.rows !== null) {
    await deliver(run, first.job, checked.rows, tokenCount(first.rows));
    waves.shift();
  }
  await Promise.all(
    contexts.map(async (context) => {
      while (!run.stopped()) {
        const wave = waves.shift();
        if (wave === undefined) return;
        if (wave !== first) announce(send, wave);
        await deliver(run, wave.job, await evaluateWave(evaluate, context, wave), tokenCount(wave.rows));
      }
    }),
  );
}

async function checkFirst({ contexts, facts }: WaveRun, first: JobWave | undefined, evaluate: RowEvaluator) {
  if (first === undefined || first.rows.length < 2 || first.rows[0]!.kind === 'reply') return { facts, rows: null };
  const { rows, shared } = first;
  return await selfCheck(
    {
      alone: () => evaluate(contexts[0], rows.slice(0, 1), []),
      together: () => evaluate(contexts[0], rows, shared),
    },
    facts,
  );
}

function sortOut(run: WaveRun, usable: number) {
  const limit = Math.min(usable, run.trainContextSize);
  const context = run.contexts[0];
  const waves: JobWave[] = [];
  const failed = run.encoded.jobs.map((prompts, job) => {
    const ready = prompts.filter(
      (prompt): prompt is ReadyPrompt => prompt.kind !== 'refused' && cellsOf(prompt) <= limit,
    );
    // A job has one mode; two would not fit one batch.
    const modes = (['ok', 'text', 'rotations', 'reply'] as const).map((kind) =>
      ready.filter((prompt) => prompt.kind === kind),
    );
    for (const { rows, shared } of modes.flatMap((mode) => groupByBeginning(mode, run.encoded.shared[job] ?? []))) {
      const groups = inGroups(rows);
      const lengths = groups.map(([first]) => firstPassTokens(first!) - shared.length);
      const later = groups.map(([first]) => laterPassTokens(first!));
      for (const wave of planWaves(lengths, context.sequences, context.batchSize, later)) {
        waves.push({ job, rows: wave.flatMap((index) => groups[index]!), shared });
      }
    }
    return prompts.flatMap((prompt) => {
      if (prompt.kind === 'refused') return [failedRow(prompt.id, prompt.reason, 0)];
      if (cellsOf(prompt) <= limit) return [];
      return [failedRow(prompt.id, tooLong(prompt, usable, run.trainContextSize), prompt.tokens.length)];
    });
  });
  return { failed, waves };
}

/** Rows that take one sequence together: the samples of an example; any other prompt alone. */
function inGroups(rows: readonly ReadyPrompt[]): (readonly ReadyPrompt[])[] {
  const replies = rows.filter((row) => row.kind === 'reply');
  return replies.length > 0 ? replyGroups(replies) : rows.map((row) => [row]);
}

/** The prompts that begin with the shared tokens, and those (rare) that the tokenizer cut differently. */
function groupByBeginning(prompts: readonly ReadyPrompt[], shared: readonly number[]) {
  if (shared.length === 0) return [{ rows: prompts, shared }];
  const rows = prompts.filter((prompt) => beginsWith(prompt.tokens, shared));
  const others = prompts.filter((prompt) => !beginsWith(prompt.tokens, shared));
  return [
    { rows, shared },
    { rows: others, shared: [] },
  ];
}

const WHAT_IS_LONG = {
  ok: 'the prompt has',
  text: 'the prompt and its longest option have',
  rotations: 'the longest rotation of the prompt has',
  reply: 'the prompt and the longest reply that is allowed have',
} as const;

function tooLong(prompt: ReadyPrompt, usable: number, trained: number): string {
  const what = WHAT_IS_LONG[prompt.kind];
  const whose =
    usable < trained ? `one sequence of the context holds ${usable}` : `the model was trained on ${trained}`;
  return `${what} ${cellsOf(prompt)} tokens, but ${whose}; nothing was evaluated`;
}

/** A batch that fails as a whole is evaluated prompt by prompt, so that one prompt cannot take others with it. */
async function evaluateWave(
  evaluate: RowEvaluator,
  context: EvaluationContext,
  { rows, shared }: JobWave,
): Promise<ModelRow[]> {
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

function announce(send: WaveRun['send'], wave: JobWave): void {
  send({ kind: 'batch', job: wave.job, ids: wave.rows.map((row) => row.id), tokens: tokenCount(wave.rows) });
}

async function deliver(run: WaveRun, job: number, rows: readonly ModelRow[], tokens: number): Promise<void> {
  await run.acks.wait();
  run.send({ kind: 'rows', job, rows, tokens });
}

function tokenCount(rows: readonly ReadyPrompt[]): number {
  return rows.reduce((sum, row) => sum + allTokens(row), 0);
}
