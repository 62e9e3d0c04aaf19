import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScoredRow } from '../../../src/contract/scored-row.js';
import type { ModelOutcome, Scorer } from '../../../src/contract/scorer.js';
import { deviceOf, openForScoring } from '../../../src/pipeline/score/open-for-scoring.js';
import { scoreMissing } from '../../../src/pipeline/score/score-missing.js';
import { planScores } from '../../../src/pipeline/score/score-plan.js';
import type { PipelineEvents } from '../../../src/pipeline/workspace/pipeline-events.js';
import type { RunOptions } from '../../../src/pipeline/workspace/run-options.js';
import { STUB_FACTS } from '../stub-scorer.js';

/** What a scorer without a model does around its rows. */
export interface PacedScorer {
  /** Rows of a batch. */
  readonly batch: number;
  /** Waits before a batch is handed over; the rows that this run has scored so far come with it. */
  readonly pause: (rows: number, signal: AbortSignal | undefined) => Promise<void>;
}

/**
 * A scorer without models, whose rows follow from model, data set and row alone. It takes its time as `pause` says,
 * obeys the signal between two batches, and counts the rows that it has handed over.
 */
export function pacedScorer({ batch, pause }: PacedScorer): { readonly scorer: Scorer; readonly rows: () => number } {
  let count = 0;
  const scorer: Scorer = async (jobs, { signal }, events) => {
    const outcomes: ModelOutcome[] = [];
    for (const { model, jobs: parts } of jobs) {
      const before = count;
      const todo = parts.flatMap((part) => batchesOf(part.prompts, batch).map((prompts) => ({ ...part, prompts })));
      events.onModelStart?.(model.id, todo.length * batch);
      let stopped = false;
      try {
        for (const { prompts, dataset, onRows } of todo) {
          stopped = signal?.aborted === true;
          if (stopped) break;
          await pause(count, signal);
          await onRows(
            prompts.map(({ id, continuations }) => rowOf(model.id, dataset, { id, options: continuations.length })),
            STUB_FACTS,
          );
          count += prompts.length;
          events.onRows?.(model.id, dataset, prompts.length, 1);
        }
        const done = { kind: 'done', model: model.id, facts: STUB_FACTS, seconds: 1, tokens: count - before } as const;
        outcomes.push(stopped ? { kind: 'failed', model: model.id, reason: 'interrupted; rows are kept' } : done);
      } catch (error) {
        if (!['cache-busy', 'bad-input'].includes((error as { code: string }).code)) throw error;
        outcomes.push({ kind: 'failed', model: model.id, reason: String(error) });
      }
      const last = outcomes.at(-1);
      if (last !== undefined) events.onModelEnd?.(last);
    }
    return outcomes;
  };
  return { scorer, rows: () => count };
}

function batchesOf<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));
}

function rowOf(model: string, dataset: string, { id, options }: { id: string; options: number }): ScoredRow {
  const hash = createHash('sha256').update(`${model} ${dataset} ${id}`).digest();
  const logits = Float32Array.from({ length: options }, (_, k) => hash.readInt16LE(2 * k) / 1024);
  return { status: 'ok', id, logits, logZ: 40, optionMass: 0.9, promptTokens: 50 };
}

/** One run of scoring, as a command has it: reads the project, looks into the cache, scores what is missing. */
export async function sharedRun(
  options: RunOptions,
  scorer: Scorer,
  {
    events = {},
    pollMs = 20,
    signal = new AbortController().signal,
  }: { events?: PipelineEvents; pollMs?: number; signal?: AbortSignal } = {},
): Promise<Map<string, string> | null> {
  const workspace = await openForScoring(options, events, signal);
  const device = await deviceOf(workspace);
  const plans = await planScores(workspace, device);
  return scoreMissing({ workspace, device, events, signal, scorer, pollMs }, plans);
}

/** Content of every Arrow file of a cache, by name. */
export function arrowFiles(cache: string): Record<string, string> {
  const names = readdirSync(cache).filter((name) => name.endsWith('.arrow'));
  const hash = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(cache, name)))
      .digest('hex');
  return Object.fromEntries(names.sort().map((name) => [name, hash(name)]));
}
