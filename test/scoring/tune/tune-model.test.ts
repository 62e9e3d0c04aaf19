import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ExamplePrompt } from '../../../src/contract/prompt.js';
import type { ModelJob } from '../../../src/contract/scorer.js';
import { workerPlan } from '../../../src/scoring/memory/worker-plan.js';
import { LLAMA_BACKEND } from '../../../src/scoring/process/spawn-worker.js';
import type { Shape } from '../../../src/scoring/tune/search-shape.js';
import { type TuneOptions, tuneModel } from '../../../src/scoring/tune/tune-model.js';
import { startedModule } from '../../built-modules.js';

const STUB = startedModule('engine/stub-backend').href;

const prompts = (count: number, word = 'x'): ExamplePrompt[] =>
  Array.from({ length: count }, (_, n) => ({
    id: String(n),
    text: word + 'y'.repeat(20 + (n % 3)),
    mode: 'letter',
    continuations: ['A', 'B'],
    answerPrefix: null,
  }));

const job = (given: readonly ExamplePrompt[], scoring: ModelJob['model']['scoring'] = {}): ModelJob => ({
  model: { id: 'm', role: 'base', bucket: '8b', file: '/stub.gguf', prompt: 'raw', scoring },
  place: { kind: 'gguf', path: '/stub.gguf', bytes: 8_000_000_000 },
  jobs: [{ dataset: 'd', prompts: given, onRows: async () => {} }],
});

async function tune(of: ModelJob, options: Partial<TuneOptions> = {}) {
  const shapes: (Shape & { readonly rate: number | null })[] = [];
  const plan = workerPlan(of, { threads: 1 }, 'cuda');
  const tuned = await tuneModel(of, plan, {
    backendModule: STUB,
    free: 140e9,
    leastMs: 0,
    onTrial: (shape, rate) => void shapes.push({ ...shape, rate }),
    ...options,
  });
  return { tuned, shapes };
}

describe('tuneModel', () => {
  it('tries shapes from the default on, in one process, and says what each came to', async () => {
    const { tuned, shapes } = await tune(job(prompts(400)));
    expect(tuned).toMatchObject({ kind: 'found', found: { trials: shapes.length } });
    expect(shapes[0]).toMatchObject({ contexts: 2, sequences: 64, batchSize: 2048 });
    expect(shapes[1]).toMatchObject({ contexts: 3, sequences: 64, batchSize: 2048 });
    expect(shapes.length).toBeGreaterThanOrEqual(4);
    expect(shapes.every(({ rate }) => rate !== null && rate >= 0)).toBe(true);
  });

  it('tries nothing that models.yaml says, and no shape beyond the memory that is free', async () => {
    const { shapes } = await tune(job(prompts(400), { contexts: 2, batchSize: 1024 }));
    expect(new Set(shapes.map(({ contexts, batchSize }) => `${contexts} ${batchSize}`))).toEqual(new Set(['2 1024']));
    // Two contexts of 64 sequences of some 26 bytes fit beside 1,000 of weights, three do not.
    const tight = await tune(job(prompts(400)), { free: 5_000 });
    expect(tight.shapes.filter(({ rate }) => rate !== null).every(({ contexts }) => contexts <= 2)).toBe(true);
    expect(tight.shapes).toContainEqual({ contexts: 3, sequences: 64, batchSize: 2048, rate: null });
  });

  it('says that so few prompts tell no shapes apart', async () => {
    const { tuned } = await tune(job(prompts(12)), { leastMs: 600_000 });
    expect(tuned).toEqual({
      kind: 'none',
      reason: expect.stringMatching(
        /^its 12 prompts take \d\.\d\d s, too short a time to tell shapes apart: tune with .*more examples$/,
      ),
    });
  });

  it('says what is wrong with a model of which nothing can be measured, and what to do', async () => {
    const reasonOf = async (of: ModelJob, options: Partial<TuneOptions> = {}) => {
      const { tuned, shapes } = await tune(of, options);
      expect(shapes).toEqual([]);
      return tuned.kind === 'none' ? tuned.reason : tuned;
    };
    const all = job(prompts(40), { contexts: 2, sequences: 64, batchSize: 2048 });
    expect(await reasonOf(all)).toBe('models.yaml says its contexts, sequences, batchSize: nothing is left to tune');
    // One context of 64 sequences fits beside the weights, two do not.
    expect(await reasonOf(job(prompts(400)), { free: 3_000 })).toMatch(
      /2 x 64 sequences do not fit into memory \(.* scored with 1 x 64; scoring: \{ contexts: 1 \} in models\.yaml lets/,
    );
    expect(await reasonOf(job(prompts(400)), { free: 500 })).toMatch(/does not fit into memory: .*smaller file/);
    expect(await reasonOf(job(prompts(40, 'THROW')))).toMatch(/^\d+ of \d+ evaluated rows failed, .*decode failed$/);
    const twins = prompts(40).map((prompt) => ({ ...prompt, continuations: ['A', 'A'] }));
    expect(await reasonOf(job(twins))).toBe('no prompt of the suite can be scored with it');
    expect(await reasonOf(job([]))).toBe('no prompt of the suite can be scored with it');
  });

  it('ends with the default where it is late after the first trial', async () => {
    const { tuned, shapes } = await tune(job(prompts(400)), { searchMs: 0 });
    expect(tuned).toMatchObject({ kind: 'found', found: { gain: 1, trials: 1, isCut: true } });
    expect(shapes.length).toBe(1);
  });

  it('measures a single prompt', async () => {
    expect((await tune(job(prompts(1)))).tuned).toMatchObject({ kind: 'found' });
  });

  it('a process that dies ends the search with how it died', async () => {
    const { tuned } = await tune(job(prompts(40, 'ABORT')));
    expect(tuned).toMatchObject({
      kind: 'none',
      reason: expect.stringMatching(/^m: the worker process ended: .*SIGABRT/),
    });
    const refused = job(prompts(40));
    const gone = { ...refused, place: { ...refused.place, path: '/refused.gguf' } };
    expect((await tune(gone)).tuned).toMatchObject({ reason: 'm: unknown architecture "stub"' });
  });

  it('a shape that ends the process is no better than one without memory: the others are tried in a new one', async () => {
    const large = {
      ...job(prompts(400)),
      place: { kind: 'gguf' as const, path: '/abort-when-large.gguf', bytes: 8e9 },
    };
    const { tuned, shapes } = await tune(large);
    expect(tuned.kind).toBe('found');
    const died = shapes.findIndex(({ sequences }) => sequences === 128);
    expect(shapes[died]?.rate).toBeNull();
    expect(shapes.slice(died + 1).filter(({ rate }) => rate !== null).length).toBeGreaterThan(0);
  });

  it('is interrupted by the signal', async () => {
    const stop = new AbortController();
    const running = tune(job(prompts(400)), { signal: stop.signal, onTrial: () => stop.abort() });
    await expect(running).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('is interrupted where a trial has ended the process, and starts no other one', async () => {
    const large = {
      ...job(prompts(400)),
      place: { kind: 'gguf' as const, path: '/abort-when-large.gguf', bytes: 8e9 },
    };
    const stop = new AbortController();
    const tried: Shape[] = [];
    const running = tune(large, {
      signal: stop.signal,
      onTrial: (shape) => {
        tried.push(shape);
        if (shape.sequences === 128) stop.abort();
      },
    });
    await expect(running).rejects.toMatchObject({ code: 'interrupted' });
    expect(tried.at(-1)?.sequences).toBe(128);
  });

  it('is interrupted before the first trial, whatever its processes do', async () => {
    const looping = { ...job(prompts(400, 'HANG')), place: { kind: 'gguf' as const, path: '/stub.gguf', bytes: 8e9 } };
    const stop = new AbortController();
    const running = tune(looping, { signal: stop.signal, free: 5_000 });
    setImmediate(() => stop.abort());
    await expect(running).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('measures a real model', async () => {
    const file = path.resolve(import.meta.dirname, '../../../models/demo/tern-base.gguf');
    const shapes: Shape[] = [];
    const real: ModelJob = { ...job(prompts(64)), place: { kind: 'gguf', path: file, bytes: 2_400_000 } };
    const plan = { ...workerPlan(real, { threads: 1 }, 'cpu'), company: 'always' as const };
    const tuned = await tuneModel(
      { ...real, model: { ...real.model, scoring: { contexts: 1, sequences: 16 } } },
      plan,
      {
        backendModule: LLAMA_BACKEND,
        free: 8e9,
        leastMs: 0,
        onTrial: (shape) => void shapes.push(shape),
      },
    );
    expect(tuned).toMatchObject({ kind: 'found', found: { rates: { given: expect.any(Number) } } });
    expect(shapes.slice(0, 2).map(({ batchSize }) => batchSize)).toEqual([2048, 4096]);
  });
});
