import { describe, expect, it } from 'vitest';
import { entryKey, type FileKeyIngredients } from '../../../src/cache/key/entry-key.js';
import { testIngredients } from '../test-ingredients.js';

const changed: Required<Omit<FileKeyIngredients, 'kind' | 'settings'>> = {
  model: 'hf:org/repo:Q4_K_m',
  dataset: 'demo-facts2',
  variant: 'short',
  modelHash: 'd'.repeat(64),
  lora: [{ sha256: 'a'.repeat(64), scale: 0.5 }],
  datasetHash: 'd'.repeat(64),
  promptHash: 'd'.repeat(64),
  promptMode: 'chat',
  assistantPrefix: 'Answer:',
  bos: 'never',
  scoringMode: 'text',
  backend: 'cuda',
  variables: { GGML_VK_DISABLE_F16: '1' },
  kernels: 'GGML_CUDA_FORCE_CUBLAS=ON CUDA 13.0',
  llamaCppRelease: 'b6001',
  nodeLlamaCpp: '3.22.2',
};
const changedSettings: FileKeyIngredients['settings'] = {
  contextSize: 512,
  sequences: 8,
  batchSize: 256,
  threads: 2,
  preTokenizer: 'qwen2',
  kvType: 'q8_0',
  gpuLayers: 12,
  flashAttention: 'auto',
  swaFullCache: true,
  prefixReuse: true,
};

describe('entryKey', () => {
  const original = entryKey(testIngredients);

  it.each(Object.entries(changed))('changes when %s alone changes', (field, value) => {
    const key = entryKey({ ...testIngredients, [field]: value });
    expect(key.hash).not.toBe(original.hash);
    expect(key.name).not.toBe(original.name);
  });

  it.each(Object.entries(changedSettings))('changes when the setting %s alone changes', (field, value) => {
    const settings = { ...testIngredients.settings, [field]: value };
    expect(entryKey({ ...testIngredients, settings }).name).not.toBe(original.name);
  });

  it('is covered by this test for every ingredient there is', () => {
    expect(['kind', 'settings', ...Object.keys(changed)].sort()).toEqual(Object.keys(testIngredients).sort());
    expect(Object.keys(changedSettings).sort()).toEqual(Object.keys(testIngredients.settings).sort());
  });

  it('does not depend on the order of the ingredients', () => {
    const reversed = Object.fromEntries(Object.entries(testIngredients).reverse()) as unknown as FileKeyIngredients;
    expect(entryKey(reversed)).toEqual({ ...original, ingredients: reversed });
  });

  it('tells an import from a scored entry, and imports of other models or data sets from each other', () => {
    const keys = [
      original,
      entryKey({ kind: 'imported', model: testIngredients.model, dataset: testIngredients.dataset }),
      entryKey({ kind: 'imported', model: 'M', dataset: 'd' }),
      entryKey({ kind: 'imported', model: 'm', dataset: 'd' }),
      entryKey({ kind: 'imported', model: 'M--d', dataset: 'x' }),
      entryKey({ kind: 'imported', model: 'M', dataset: 'd--x' }),
    ];
    expect(new Set(keys.map((key) => key.name.toLowerCase())).size).toBe(keys.length);
  });

  it('gives a readable name that any file system takes, also for labels of 300 characters', () => {
    expect(original.name).toMatch(/^hf-org-repo-Q4_K_M--demo-facts-[0-9a-f]{12}$/);
    const long = entryKey({
      ...testIngredients,
      model: 'x'.repeat(300),
      dataset: 'y'.repeat(300),
      variant: 'z'.repeat(300),
    });
    expect(long.name.length).toBeLessThan(200);
  });

  it('names the way of asking after model and data set, but for plain prompts', () => {
    const { name } = entryKey({ ...testIngredients, scoringMode: 'rotations of all options' });
    expect(name).toMatch(/--demo-facts--rotations-[0-9a-f]{12}$/);
    expect(entryKey(testIngredients).name).toMatch(/--demo-facts-[0-9a-f]{12}$/);
  });
});
