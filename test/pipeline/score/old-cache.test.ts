import { copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Scorer } from '../../../src/contract/scorer.js';
import { scoreStage } from '../../../src/pipeline/score-stage.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const OLD = path.join(ROOT, 'test/fixtures/old-cache');

/**
 * A key names the native library's release, which is none of ours: the test stays true when a newer one is installed.
 */
vi.mock(import('../../../src/library/native-versions.js'), async (original) => ({
  ...(await original()),
  nativeVariables: () => ({}),
  llamaCppRelease: () => 'v0.5.0',
  nodeLlamaCppVersion: () => '3.22.1',
}));

const refusesToScore: Scorer = async (jobs) => {
  throw new Error(`models were to be scored again: ${jobs.map(({ model }) => model.id).join(', ')}`);
};

/** The suite that the old cache was made of, with the cache as it was left. */
function oldWorkspace() {
  const folder = mkdtempSync(path.join(tmpdir(), 'old-cache-'));
  cpSync(OLD, folder, { recursive: true });
  for (const model of ['tern-base.gguf', 'tern-dpo.gguf'])
    copyFileSync(path.join(ROOT, 'models/demo', model), path.join(folder, model));
  const at = (name: string) => path.join(folder, name);
  return { suite: 'old', models: at('models.yaml'), datasets: folder, cache: at('cache'), out: at('out') };
}

describe('a cache that an earlier version wrote', () => {
  it('is found whole, whatever was asked: nothing is scored and no entry is written', async () => {
    const options = { ...oldWorkspace(), gpu: 'off', refresh: false } as const;
    const { status, entries } = await scoreStage(options, {}, new AbortController().signal, refusesToScore);
    expect(entries.map(({ model, prompts, state, rows }) => [model, prompts, state, rows])).toEqual([
      ['tern-base', 'plain', 'cached', 6],
      ['tern-dpo', 'plain', 'cached', 6],
      ['tern-dpo', 'rotations', 'cached', 6],
      ['tern-dpo', 'elicitation', 'cached', 6],
      ['tern-dpo', 'elicitation-ensemble', 'cached', 12],
      ['tern-dpo', 'p-true', 'cached', 6],
    ]);
    expect(status).toBe('complete');
    const kept = readdirSync(path.join(OLD, 'cache'));
    for (const name of kept)
      expect(readFileSync(path.join(options.cache, name)).equals(readFileSync(path.join(OLD, 'cache', name)))).toBe(
        true,
      );
    expect(readdirSync(options.cache).filter((name) => name.endsWith('.arrow'))).toHaveLength(6);
  });
});
