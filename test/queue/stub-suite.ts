import type { Runner } from '../../src/contract/runner.js';
import type { ScoredRow } from '../../src/contract/scored-row.js';
import type { ModelFacts, ModelJob, ScoringJob } from '../../src/contract/scorer.js';
import { runQueueWorker, type WorkerSettings } from '../../src/queue/run-queue-worker.js';
import type { QueueServer } from '../../src/queue/server/queue-server.js';
import type { Versions } from '../../src/queue/wire/versions.js';

export const VERSIONS: Versions = { tool: '1.0.0', llamaCpp: 'b1', nodeLlamaCpp: '3.0.0', protocol: 1 };

export const FACTS: ModelFacts = {
  architecture: 'stub',
  backend: 'cpu',
  device: 'a stub',
  bos: true,
  bosReason: 'a stub',
  chatTemplate: null,
  contextSize: 128,
  sequences: 1,
  batchSize: 64,
  threads: 1,
  flashAttention: 'off',
  warnings: [],
};

type OkRow = Extract<ScoredRow, { status: 'ok' }>;

/** A row that follows from the id alone, with numbers that no decimal notation of few digits has. */
export function stubRow(id: string): OkRow {
  const seed = [...id].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 100_003, 7);
  const logits = Float32Array.from([0, 1, 2], (k) => Math.sin(seed + k) * 9);
  return { status: 'ok', id, logits, logZ: Math.cos(seed), optionMass: Number.NaN, promptTokens: id.length };
}

/** A job of one model with `count` rows, and where its rows go. */
export function stubJob(model: string, count: number, more: Partial<ScoringJob> = {}) {
  const rows = new Map<string, ScoredRow[]>();
  const prompts = Array.from({ length: count }, (_, n) => ({
    id: `${model}-${n}`,
    text: `Question ${n}?`,
    mode: 'letter' as const,
    continuations: ['A', 'B', 'C'],
    answerPrefix: null,
  }));
  const job: ModelJob = {
    model: { id: model, role: 'base', bucket: 'default', prompt: 'raw', file: `/secret/place/${model}.gguf` },
    place: { kind: 'gguf', path: `/secret/place/${model}.gguf`, bytes: 1000 },
    content: { sha256: 'ab'.repeat(32), hub: null, lora: [], identity: { modelHash: model, backend: 'cpu' } },
    jobs: [
      {
        dataset: 'quiz',
        prompts,
        sharing: null,
        async onRows(fresh) {
          for (const row of fresh) rows.set(row.id, [...(rows.get(row.id) ?? []), row]);
        },
        ...more,
      },
    ],
  };
  return { job, rows };
}

/** What the runner of a worker does with every group of rows, and before it. */
export interface StubHabits {
  /** Runs before the rows of a range are scored; what it throws is a failure of the model. */
  readonly before?: (ids: readonly string[]) => Promise<void> | void;
  /** What comes in place of a sound row. */
  readonly row?: (row: OkRow, model: string) => OkRow;
}

/** A runner that answers at once with `stubRow`. */
function stubRunner({ before, row = (sound) => sound }: StubHabits = {}): Runner {
  return {
    async run({ model, jobs }) {
      for (const { prompts, onRows } of jobs) {
        const ids = prompts.map(({ id }) => id);
        try {
          await before?.(ids);
        } catch (error) {
          return { kind: 'failed', model: model.id, reason: (error as Error).message };
        }
        await onRows(
          ids.map((id) => row(stubRow(id), model.id)),
          FACTS,
        );
      }
      return { kind: 'done', model: model.id, facts: FACTS, seconds: 0, tokens: 0 };
    },
    close: async () => {},
  };
}

/** Starts a worker with a stub in place of child processes; `stop` drains it. */
export function startWorker(
  server: QueueServer,
  worker: string,
  { habits = {}, ...more }: Partial<WorkerSettings> & { readonly habits?: StubHabits } = {},
) {
  const abort = new AbortController();
  const ended = runQueueWorker({
    server,
    worker,
    device: 'cpu',
    versions: VERSIONS,
    signal: abort.signal,
    events: {},
    idleMs: null,
    pollMs: 20,
    async findModel({ model, identity }) {
      const spec = { ...model, role: 'base' as const, bucket: 'default' };
      const place = { kind: 'gguf' as const, path: '/here', bytes: 1000 };
      return { model: spec, place, identity, runner: stubRunner(habits), unchanged: async () => {} };
    },
    ...more,
  });
  // A test that ends the worker by a fault looks at `ended` itself.
  ended.catch(() => {});
  return {
    ended,
    async stop() {
      abort.abort();
      return ended;
    },
  };
}
