import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LoadedModels } from '../../../src/config/load-models.js';
import type { ModelSpec } from '../../../src/config/models-schema.js';
import { sourceKindOf } from '../../../src/config/source-kind.js';
import { sourceOf } from '../../../src/scoring/source/source-of.js';

const SRC = path.resolve(import.meta.dirname, '../../../src');
const workspace = {
  models: { file: '/project/models.yaml' } as LoadedModels,
  hub: { cacheDir: '/project/cache', offline: true } as never,
  options: { cache: '/project/cache' },
};
const model = (more: Partial<ModelSpec> = {}): ModelSpec => ({
  id: 'm',
  role: 'base',
  bucket: 'b',
  prompt: 'raw',
  ...more,
});

describe('sourceOf', () => {
  it('is the file that the entry names, scored on a device of this machine', () => {
    const source = sourceOf(workspace, model({ file: 'm.gguf' }));
    expect(source).toMatchObject({ kind: 'gguf', needs: { device: true, network: false } });
    expect([...source.can].sort()).toEqual(['letter', 'reply', 'rotations', 'text']);
    expect(source.score).toBeTypeOf('function');
  });

  it('needs the network for a file of the hub, and for an adapter of it', () => {
    expect(sourceOf(workspace, model({ file: 'hf:o/r/m.gguf' })).needs.network).toBe(true);
    expect(sourceOf(workspace, model({ file: 'm.gguf', lora: 'hf:o/r/a.gguf' })).needs.network).toBe(true);
  });

  it('is an import where no file is named: nothing can be asked, and it says what to do', async () => {
    const source = sourceOf(workspace, model());
    expect(source).toMatchObject({ kind: 'imported', needs: { device: false, network: false }, score: null });
    expect(source.can.size).toBe(0);
    expect(await source.find()).toEqual({
      reason: '"m" has no file in /project/models.yaml and no imported scores (supportcal import FILE --model m ...)',
    });
    expect(source.inspect).toBeUndefined();
  });

  it('is decided in one place: nothing else in the sources asks whether a model has a file', () => {
    expect(sourceKindOf({})).toBe('imported');
    const files = (readdirSync(SRC, { recursive: true }) as string[]).filter((file) => file.endsWith('.ts'));
    const deciding = files.filter((file) =>
      /\bmodel\.file (===|!==) undefined|\bmodel\.file!/.test(readFileSync(path.join(SRC, file), 'utf8')),
    );
    expect(deciding).toEqual([]);
  });
});
