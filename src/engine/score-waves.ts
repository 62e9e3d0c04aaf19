import type { ModelFacts } from '../scoring/contract.js';
import type { Evaluation, EvaluationContext } from './backend.js';
import type { EncodedPrompt, EncodedPrompts } from './encode-jobs.js';
import { planWaves } from './plan-waves.js';
import type { FromWorker } from './protocol.js';
import { failedRow, scoreRow } from './score-row.js';
import type { AckGate } from './score-session.js';
import { selfCheck } from './self-check.js';
import { beginsWith } from './shared-tokens.js';

type ReadyPrompt = Extract<EncodedPrompt, { kind: 'ok' }>;

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
  const checked = await selfCheck(contexts[0], first?.rows ?? [], first?.shared ?? [], run.facts);
  send({ kind: 'loaded', facts: checked.facts });
  for (const [job, rows] of failed.entries()) {
    if (rows.length > 0) await deliver(run, job, rows, 0);
  }
  if (first !== undefined && checked.evaluations !== null) {
    await deliverWave(run, first, checked.evaluations);
    waves.shift();
  }
  await Promise.all(
    contexts.map(async (context) => {
      while (!run.stopped()) {
        const wave = waves.shift();
        if (wave === undefined) return;
        if (wave !== first) announce(send, wave);
        await deliverWave(run, wave, await evaluateWave(context, wave));
      }
    }),
  );
}

function sortOut(run: WaveRun, usable: number) {
  const limit = Math.min(usable, run.trainContextSize);
  const context = run.contexts[0];
  const waves: JobWave[] = [];
  const failed = run.encoded.jobs.map((prompts, job) => {
    const ready = prompts.filter(
      (prompt): prompt is ReadyPrompt => prompt.kind === 'ok' && prompt.tokens.length <= limit,
    );
    for (const { rows, shared } of groupByBeginning(ready, run.encoded.shared[job] ?? [])) {
      const lengths = rows.map((prompt) => prompt.tokens.length - shared.length);
      for (const wave of planWaves(lengths, context.sequences, context.batchSize)) {
        waves.push({ job, rows: wave.map((index) => rows[index]!), shared });
      }
    }
    return prompts.flatMap((prompt) => {
      if (prompt.kind === 'refused') return [failedRow(prompt.id, prompt.reason, 0)];
      const count = prompt.tokens.length;
      return count <= limit ? [] : [failedRow(prompt.id, tooLong(count, usable, run.trainContextSize), count)];
    });
  });
  return { failed, waves };
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

function tooLong(tokens: number, usable: number, trained: number): string {
  const whose =
    usable < trained ? `one sequence of the context holds ${usable}` : `the model was trained on ${trained}`;
  return `the prompt has ${tokens} tokens, but ${whose}; nothing was evaluated`;
}

/** A batch that fails as a whole is evaluated prompt by prompt, so that one prompt cannot take others with it. */
async function evaluateWave(context: EvaluationContext, { rows, shared }: JobWave): Promise<Evaluation[]> {
  const together = await evaluateSafely(context, rows, shared);
  if (rows.length === 1 || together.some((evaluation) => evaluation.kind === 'logits')) return together;
  const alone: Evaluation[] = [];
  for (const row of rows) alone.push(...(await evaluateSafely(context, [row], shared)));
  return alone;
}

async function evaluateSafely(
  context: EvaluationContext,
  rows: readonly ReadyPrompt[],
  shared: readonly number[],
): Promise<Evaluation[]> {
  try {
    return await context.evaluate(
      rows.map((row) => ({ tokens: Array.from(row.tokens), optionIds: row.optionIds })),
      shared,
    );
  } catch (error) {
    return rows.map(() => ({ kind: 'error', message: error instanceof Error ? error.message : String(error) }));
  }
}

function announce(send: WaveRun['send'], wave: JobWave): void {
  send({ kind: 'batch', job: wave.job, ids: wave.rows.map((row) => row.id), tokens: tokenCount(wave.rows) });
}

async function deliverWave(run: WaveRun, wave: JobWave, evaluations: readonly Evaluation[]): Promise<void> {
  const missing: Evaluation = { kind: 'error', message: 'the backend gave no result' };
  const rows = wave.rows.map((row, index) => scoreRow(row.id, evaluations[index] ?? missing, row.tokens.length));
  await deliver(run, wave.job, rows, tokenCount(wave.rows));
}

async function deliver(run: WaveRun, job: number, rows: ReturnType<typeof failedRow>[], tokens: number): Promise<void> {
  await run.acks.wait();
  run.send({ kind: 'rows', job, rows, tokens });
}

function tokenCount(rows: readonly ReadyPrompt[]): number {
  return rows.reduce((sum, row) => sum + row.tokens.length, 0);
}
