import { describe, expect, it } from 'vitest';
import type { ScoredRow } from '../../src/contract/scored-row.js';
import type { ModelJob, ModelOutcome, ScoringEvents } from '../../src/contract/scorer.js';
import { SupportCalError } from '../../src/errors/supportcal-error.js';
import { fitPlan } from '../../src/scoring/memory/fit-plan.js';
import { workerPlan } from '../../src/scoring/memory/worker-plan.js';
import { scoreModels } from '../../src/scoring/score-models.js';
import { startedModule } from '../built-modules.js';

const backendModule = startedModule('engine/stub-backend').href;

interface Kept {
  readonly job: ModelJob;
  readonly rows: ScoredRow[];
  readonly groups: number[];
}

function modelJob(
  id: string,
  texts: readonly string[],
  options: { path?: string; onRows?: () => Promise<void>; scoring?: ModelJob['model']['scoring'] } = {},
): Kept {
  const rows: ScoredRow[] = [];
  const groups: number[] = [];
  const prompts = texts.map((text, n) => ({
    id: `r${n + 1}`,
    text,
    mode: 'letter' as const,
    continuations: ['A', 'B'],
    answerPrefix: null,
  }));
  const onRows = async (group: readonly ScoredRow[]) => {
    await options.onRows?.();
    rows.push(...group);
    groups.push(group.length);
  };
  const job: ModelJob = {
    model: { id, role: 'base', bucket: 'b', prompt: 'raw', ...(options.scoring && { scoring: options.scoring }) },
    place: { kind: 'gguf', path: options.path ?? '/stub.gguf', bytes: 1000 },
    jobs: [{ dataset: 'd', prompts, onRows }],
  };
  return { job, rows, groups };
}

async function score(
  kept: readonly Kept[],
  events: ScoringEvents = {},
  extra: { batchSeconds?: number; signal?: AbortSignal; freeBytes?: number } = {},
) {
  const { batchSeconds = 120, freeBytes = 2 ** 40, ...rest } = extra;
  const settings = { device: 'cpu' as const, cores: 2, ...rest };
  return await scoreModels(
    kept.map(({ job }) => job),
    settings,
    events,
    { backendModule, batchSeconds, freeMemory: async () => freeBytes },
  );
}

const reasonOf = (outcome: ModelOutcome | undefined) => (outcome?.kind === 'failed' ? outcome.reason : 'not failed');
const fill = (count: number, at: Record<number, string> = {}) =>
  Array.from({ length: count }, (_, n) => at[n + 1] ?? 'plain');

describe('scoreModels', () => {
  it('scores every row of every model and hands rows over as they come', async () => {
    const models = [modelJob('a', fill(150)), modelJob('b', fill(20)), modelJob('c', fill(1))];
    const outcomes = await score(models);
    expect(outcomes.map((outcome) => [outcome.model, outcome.kind])).toEqual([
      ['a', 'done'],
      ['b', 'done'],
      ['c', 'done'],
    ]);
    expect(models.map(({ rows }) => rows.length)).toEqual([150, 20, 1]);
    expect(new Set(models[0]!.rows.map((row) => row.id)).size).toBe(150);
    expect(outcomes[0]).toMatchObject({ tokens: 150 * 'splain '.length });
  });

  it('a child that aborts at row 57 of 100 costs that row: 1 to 56 are kept and the other model goes on', async () => {
    const crashing = modelJob('crashing', fill(100, { 57: 'ABORT' }));
    const good = modelJob('good', fill(30));
    const [first, second] = await score([crashing, good]);
    expect(crashing.rows.map((row) => row.id)).toEqual(Array.from({ length: 56 }, (_, n) => `r${n + 1}`));
    expect(reasonOf(first)).toMatch(/^model crashing at d, row r57: the worker process ended: signal SIGABRT/);
    expect(second).toMatchObject({ kind: 'done' });
    expect(good.rows).toHaveLength(30);
  });

  it('a child that dies while it loads is tried again, then fails its model by name', async () => {
    const logs: string[] = [];
    const model = modelJob('m', fill(3), { path: '/abort-on-load.gguf' });
    const [outcome] = await score([model], { onLog: (_, message) => logs.push(message) });
    expect(reasonOf(outcome)).toMatch(/^model m while the model was loaded: .*SIGABRT/);
    expect(logs.filter((line) => line.includes('trying again'))).toHaveLength(2);
  });

  it('a model that the library refuses fails at once with its message', async () => {
    const logs: string[] = [];
    const [refused, good] = await score(
      [modelJob('bad', fill(3), { path: '/refused.gguf' }), modelJob('good', fill(3))],
      {
        onLog: (_, message) => logs.push(message),
      },
    );
    expect(reasonOf(refused)).toBe('model bad: unknown architecture "stub"');
    expect(good).toMatchObject({ kind: 'done' });
    expect(logs.filter((line) => line.includes('trying again'))).toEqual([]);
  });

  it('a model that cannot fit is refused before it is loaded, with the numbers; memoryCheck: off tries it', async () => {
    const mib = 2 ** 20;
    // A stub that dies when its weights are loaded: the refusal must come before that.
    const model = (id: string, scoring?: { memoryCheck: 'off' }) =>
      modelJob(id, fill(3), { path: '/heavy.gguf', ...(scoring && { scoring }) });
    const [refused, tried] = await score(
      [model('a'), model('b', { memoryCheck: 'off' })],
      {},
      { freeBytes: 500 * mib },
    );
    expect(reasonOf(refused)).toBe(
      'model a does not fit into memory: for one sequence of 8 tokens 600 MiB are needed on cpu (weights 600 MiB, KV ' +
        'cache 0 MiB, compute 0 MiB), 500 MiB are free; use a smaller file, or set scoring: { memoryCheck: off } to try it',
    );
    expect(reasonOf(tried)).toMatch(/^model b while the model was loaded: .*SIGABRT/);
    const [fits] = await score([modelJob('c', fill(3))], {}, { freeBytes: 1 * mib });
    expect(fits).toMatchObject({ kind: 'done' });
  });

  it('refuses fewer sequences than were asked for, since they give other numbers, and says how many would fit', async () => {
    const wide = modelJob('m', fill(3), { path: '/wide.gguf', scoring: { contextSize: 8192, sequences: 16 } });
    let fits: number | undefined;
    const run = async (mib: number) => {
      const [outcome] = await score([wide], {}, { freeBytes: mib * 2 ** 20 });
      if (outcome?.kind === 'failed') fits = outcome.fits;
      return outcome?.kind === 'done' ? outcome.facts.sequences : reasonOf(outcome);
    };
    expect(await run(400)).toBe(
      'model m: a context of 16 sequences does not fit into memory (512 MiB are needed on cpu (weights 0 MiB, KV cache ' +
        '512 MiB, compute 0 MiB), 400 MiB are free); 8 would, whose rows are slightly other ones and kept apart, as with ' +
        'scoring: { sequences: 8 } in models.yaml',
    );
    expect(fits).toBe(8);
    expect(await run(20)).toMatch(/does not fit into memory: for one sequence of 8192 tokens 32 MiB are needed/);
    expect(fits).toBeUndefined();
    expect(await run(600)).toBe(16);
  });

  it('does without the context that only waits its turn where memory lacks, and names every further one', async () => {
    const { job } = modelJob('m', fill(1), { path: '/wide.gguf', scoring: { contextSize: 8192 } });
    const large = { ...job, place: { ...job.place, bytes: 100 * 2 ** 20 } };
    const plan = workerPlan(large, { threads: 2 }, 'cpu');
    const withFree = async (mib: number) => {
      const fitted = await fitPlan(large, plan, { backendModule, freeMemory: async () => mib * 2 ** 20 });
      return fitted.kind === 'fits' && [fitted.plan.contexts, fitted.plan.sequences, fitted.note];
    };
    // Each of three contexts takes 32 MiB for a prompt at a time, beside the 100 of the file.
    expect(await withFree(170)).toEqual([2, 4, null]);
    expect(await withFree(140)).toEqual([1, 4, expect.stringContaining('its 3 x 1 sequences do not fit')]);
  });

  it('a child without progress is ended and counts as a crash; failed rows are kept as failed', async () => {
    const model = modelJob('m', fill(5, { 1: 'NAN', 5: 'HANG' }));
    const [outcome] = await score([model], {}, { batchSeconds: 0.3 });
    expect(reasonOf(outcome)).toMatch(
      /neither a message nor work for 0.3 s while evaluating a batch of \d+ tokens, so it was ended/,
    );
    expect(model.rows.filter((row) => row.id !== 'r1').every((row) => row.status === 'ok')).toBe(true);
    expect(model.rows.map((row) => row.id)).not.toContain('r5');
  });

  it('an abort ends every child after the rows in hand; what was delivered stays', async () => {
    const abort = new AbortController();
    const model = modelJob('m', fill(500), { onRows: async () => abort.abort() });
    const later = modelJob('n', fill(500), { onRows: async () => abort.abort() });
    const last = modelJob('o', fill(500));
    const outcomes = await score([model, later, last], {}, { signal: abort.signal });
    expect(outcomes.map(reasonOf)).toEqual([
      'interrupted; the rows scored so far are kept',
      'interrupted; the rows scored so far are kept',
      'interrupted before it was loaded',
    ]);
    expect(model.rows.length + later.rows.length).toBeGreaterThan(0);
    expect(model.rows.length).toBeLessThan(500);
  });

  it('rows that cannot be kept end the run with that error', async () => {
    const model = modelJob('m', fill(200), {
      onRows: async () => {
        throw new Error('disk full');
      },
    });
    await expect(score([model])).rejects.toThrow('disk full');
  });

  it.each(['bad-input', 'cache-busy'] as const)(
    'rows refused with %s, the fault of one model, fail that one alone',
    async (code) => {
      const model = modelJob('m', fill(40), {
        onRows: async () => {
          throw new SupportCalError(code, 'its file was replaced');
        },
      });
      const other = modelJob('n', fill(40));
      expect(await score([model, other])).toMatchObject([
        { kind: 'failed', reason: expect.stringContaining('its file was replaced') },
        { kind: 'done' },
      ]);
      expect(other.rows).toHaveLength(40);
    },
  );

  it("neither the child's standard output nor native log lines reach ours; both become log lines", async () => {
    const logs: string[] = [];
    await score([modelJob('m', fill(2), { path: '/chatty.gguf' })], {
      onLog: (level, message) => logs.push(`${level} ${message}`),
    });
    expect(logs).toContain('warn m: a line of the native library');
    expect(logs).toContain('warn worker: a line on the standard output of the child');
  });

  it('tells the start, the rows and the end of each model', async () => {
    const seen: string[] = [];
    await score([modelJob('m', fill(3))], {
      onModelStart: (model, rows) => seen.push(`start ${model} ${rows}`),
      onRows: (model, dataset, rows, tokens) => seen.push(`rows ${model} ${dataset} ${rows} ${tokens}`),
      onModelEnd: ({ kind, model }) => seen.push(`end ${model} ${kind}`),
    });
    expect(seen).toEqual(['start m 3', 'rows m d 3 21', 'end m done']);
  });
});
