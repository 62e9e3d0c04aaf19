import { describe, expect, it } from 'vitest';
import type { InspectedModel } from '../../../src/contract/inspection.js';
import type { ModelJob } from '../../../src/contract/scorer.js';
import { fitPlan } from '../../../src/scoring/memory/fit-plan.js';
import type { FileLook } from '../../../src/scoring/memory/look-into.js';
import { workerPlan } from '../../../src/scoring/memory/worker-plan.js';

const GB = 1e9;

const job = (more: Partial<ModelJob['model']> = {}): ModelJob => ({
  model: { id: 'm', role: 'base', bucket: '8b', file: '/m.gguf', prompt: 'raw', parameters: 8, ...more },
  place: { kind: 'gguf', path: '/m.gguf', bytes: 8 * GB },
  jobs: [
    {
      dataset: 'd',
      prompts: [{ id: '1', text: 'x'.repeat(3000), mode: 'letter', continuations: ['A'], answerPrefix: null }],
      onRows: async () => {},
    },
  ],
});

/** A file whose contexts take so many bytes, with what it was asked. */
function fileOf(kvCache: number, known: number | null = null) {
  const asked: string[] = [];
  const file: FileLook = {
    look: async ({ contexts, sequences }) => {
      asked.push(`${contexts} x ${sequences}`);
      const memory = { weights: 8 * GB, kvCache: kvCache * contexts * sequences, compute: 0 };
      return { memory, sequences, contextSize: 300 } as InspectedModel;
    },
    contextSize: () => known,
    end: async () => void asked.push('end'),
  };
  return { file, asked };
}

const planned = (of: ModelJob, file: FileLook, free: number) =>
  fitPlan(of, workerPlan(of, { threads: 1 }, 'cuda'), { freeMemory: async () => free, backendModule: '', file });

describe('fitPlan', () => {
  it('asks for the needs of one sequence only where the whole plan does not fit, and leaves the given look open', async () => {
    const fits = fileOf(0.1 * GB);
    expect(await planned(job(), fits.file, 30 * GB)).toMatchObject({ kind: 'fits', note: null });
    expect(fits.asked).toEqual(['2 x 64']);
    const tight = fileOf(0.5 * GB);
    expect((await planned(job(), tight.file, 30 * GB)).kind).toBe('refused');
    expect(tight.asked).toEqual(['2 x 64', '1 x 1']);
  });

  it('looks no more where the tokens of a sequence are known, and the cache of one is declared', async () => {
    const declared = job({ kvCacheKiB: 128 });
    const unknown = fileOf(0.1 * GB);
    await planned(declared, unknown.file, 60 * GB);
    expect(unknown.asked).toEqual(['2 x 64']);
    const known = fileOf(0.1 * GB, 300);
    expect(await planned(declared, known.file, 60 * GB)).toMatchObject({ kind: 'fits', note: null });
    expect(known.asked).toEqual([]);
    // 16 KiB for a billion weights may be a sixth of what a model without grouped heads takes.
    const undeclared = fileOf(0.1 * GB, 300);
    await planned(job(), undeclared.file, 60 * GB);
    expect(undeclared.asked).toEqual(['2 x 64']);
  });
});
