import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ModelSpec } from '../../../src/config/models-schema.js';
import {
  keepTuned,
  type TunedShape,
  tunedFor,
  tunedModels,
  wasTuned,
} from '../../../src/scoring/source/tuned-shapes.js';

const MODEL = { id: 'm', role: 'base', file: 'm.gguf', prompt: 'raw' } as ModelSpec;

let cache: string;
beforeEach(() => {
  cache = mkdtempSync(path.join(tmpdir(), 'supportcal-tuned-'));
});

const tuned = (scoring: TunedShape['scoring'], card = 'NVIDIA H200', bytes = 8_000_000_000): TunedShape => ({
  ...tunedFor('cuda', card, bytes),
  scoring,
  gain: 1.2,
  tunedAt: '2026-11-29T00:00:00.000Z',
});
const sought = { model: MODEL, bytes: 8_000_000_000, device: 'cuda', card: 'NVIDIA H200' } as const;

describe('shapes that were tuned', () => {
  it('stand for models of like size on the same card, as if models.yaml said them', async () => {
    await keepTuned(cache, tuned({ contexts: 3, sequences: 128 }));
    const of = await tunedModels(cache);
    expect(of(sought)).toEqual([{ ...MODEL, scoring: { contexts: 3, sequences: 128 } }]);
    expect(of({ ...sought, bytes: 8_079_000_000 })).toHaveLength(1);
    expect(of({ ...sought, bytes: 8_090_000_000 })).toEqual([]);
    expect(of({ ...sought, card: 'NVIDIA L4' })).toEqual([]);
    expect(of({ ...sought, device: 'vulkan' })).toEqual([]);
    expect(of({ ...sought, model: { ...MODEL, scoring: { device: 'cpu' } } })).toEqual([]);
    expect(of({ ...sought, card: null })).toHaveLength(1);
  });

  it('leave what models.yaml says itself', async () => {
    await keepTuned(cache, tuned({ contexts: 3, sequences: 128 }));
    const of = await tunedModels(cache);
    const model: ModelSpec = { ...MODEL, scoring: { sequences: 32, bos: 'never' } };
    expect(of({ ...sought, model })[0]?.scoring).toEqual({ contexts: 3, sequences: 32, bos: 'never' });
  });

  it('are replaced by the next search on the same card, also by "nothing is faster", and by no other one', async () => {
    await keepTuned(cache, tuned({ contexts: 3 }));
    await keepTuned(cache, tuned({ contexts: 4 }, 'NVIDIA L4'));
    await keepTuned(cache, tuned({ batchSize: 1024 }, 'NVIDIA H200', 20_000_000_000));
    await keepTuned(cache, tuned({}));
    const of = await tunedModels(cache);
    expect(of(sought)).toEqual([]);
    expect(of({ ...sought, card: 'NVIDIA L4' })[0]?.scoring).toEqual({ contexts: 4 });
    expect(of({ ...sought, bytes: 20_000_000_000 })[0]?.scoring).toEqual({ batchSize: 1024 });
  });

  it('are known to have been looked for where nothing was faster too', async () => {
    const { bytes, card } = sought;
    expect(await wasTuned(cache, tunedFor('cuda', card, bytes))).toBe(false);
    await keepTuned(cache, tuned({}));
    expect(await wasTuned(cache, tunedFor('cuda', card, bytes))).toBe(true);
    expect(await wasTuned(cache, tunedFor('cuda', 'NVIDIA L4', bytes))).toBe(false);
    expect(await wasTuned(cache, tunedFor('cuda', card, 2 * bytes))).toBe(false);
  });

  it.each(['', '{', '{}', '[{"device": "cuda"}]', '[null]', JSON.stringify([tuned({ contexts: 1e6 })])])(
    'a file that is no longer what it was is none: %j',
    async (text) => {
      writeFileSync(path.join(cache, 'tuned.json'), text);
      expect((await tunedModels(cache))(sought)).toEqual([]);
      await keepTuned(cache, tuned({ contexts: 3 }));
      expect((await tunedModels(cache))(sought)).toHaveLength(1);
    },
  );

  it('of another release of the library or another build are none', async () => {
    await keepTuned(cache, tuned({ contexts: 3 }));
    const file = path.join(cache, 'tuned.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"library": "[^"]*"/, '"library": "b1"'));
    expect((await tunedModels(cache))(sought)).toEqual([]);
  });
});
