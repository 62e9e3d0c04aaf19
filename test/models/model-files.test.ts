import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modelParts } from '../../src/models/gguf/model-parts.js';
import { allEntries, planScores } from '../../src/pipeline/score/score-plan.js';
import { loadWorkspace } from '../../src/pipeline/workspace/load-workspace.js';
import { wordProblems } from '../pipeline/demo-workspace.js';
import { quizWorkspace } from '../pipeline/quiz-workspace.js';
import { splitGguf } from './gguf/split-gguf.js';

const workspace = quizWorkspace(wordProblems(6));
const adapter = workspace.file('adapter.gguf');
const fixture = path.resolve(import.meta.dirname, '../fixtures/lora/tern-q.gguf');
let split: string;
afterAll(() => rmSync(workspace.folder, { recursive: true }));

/** Rows that a run would score when the base of the target is split in three and has the settings `more`. */
async function toScore(more: string): Promise<number> {
  write(more);
  const at = (name: string) => workspace.file(name);
  const places = { models: at('models.yaml'), datasets: at('datasets'), cache: at('cache'), out: at('out') };
  const plans = await planScores(await loadWorkspace({ suite: 's', ...places, gpu: 'off', refresh: false }), 'cpu');
  const open = plans.flatMap(allEntries).map(({ entry }) => (entry.kind === 'open' ? entry.rowsLeft : 0));
  return open.reduce((sum, rows) => sum + rows, 0);
}

function write(more: string): void {
  workspace.writeModels();
  const text = readFileSync(workspace.file('models.yaml'), 'utf8');
  const file = JSON.stringify(workspace.demoModel('base'));
  writeFileSync(workspace.file('models.yaml'), text.replace(file, `${JSON.stringify(split)}${more}`));
}

async function adaptersInManifest(): Promise<unknown[]> {
  const manifest = JSON.parse(readFileSync(workspace.file('out/manifest.json'), 'utf8'));
  return manifest.models
    .map(({ lora }: { lora: unknown[] }) => lora)
    .sort((a: unknown[], b: unknown[]) => a.length - b.length);
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

beforeAll(() => {
  copyFileSync(fixture, adapter);
  split = splitGguf(workspace.demoModel('base'), 3, workspace.folder);
});

describe('the files and settings of a model', () => {
  it('are in the key of its scores: adapters by content and scale, all parts of a split model, KV type, GPU layers, flash attention', async () => {
    const all = ', lora: [{file: adapter.gguf, scale: 2}], scoring: {kvType: f32, gpuLayers: 1, flashAttention: on}';
    expect(await toScore(all)).toBe(18);
    expect(await workspace.run('pipeline')).toMatchObject({ code: 0 });
    expect(await toScore(all)).toBe(0);
    for (const more of [
      all.replace('scale: 2', 'scale: 0.5'),
      all.replace('lora: [{file: adapter.gguf, scale: 2}], ', ''),
      all.replace('kvType: f32, ', ''),
      all.replace('gpuLayers: 1, ', ''),
      all.replace(', flashAttention: on', ''),
      '',
    ]) {
      expect(await toScore(more), more).toBe(6);
    }
    const adapters = readFileSync(adapter);
    expect(await adaptersInManifest()).toEqual([
      [],
      [],
      [{ file: 'adapter.gguf', scale: 2, sha256: sha256(adapters) }],
    ]);
    for (const file of [adapter, modelParts(split)[2]!]) {
      const whole = readFileSync(file);
      const changed = Buffer.from(whole);
      changed[changed.length - 40]! ^= 1;
      writeFileSync(file, changed);
      expect(await toScore(all), file).toBe(6);
      writeFileSync(file, whole);
      expect(await toScore(all), file).toBe(0);
    }
  }, 120_000);

  it('are checked before native code sees them, and named as models.yaml writes them', async () => {
    write(', lora: missing.gguf');
    expect((await workspace.run('validate')).stderr).toContain('missing.gguf: LoRA adapter: no such model file');
    truncateSync(adapter, 1500);
    write(', lora: [{file: ./adapter.gguf}]');
    expect((await workspace.run('validate')).stderr).toContain('./adapter.gguf: LoRA adapter: is cut off');
    writeFileSync(adapter, 'not a model at all');
    const scored = await workspace.run('score');
    expect(scored.code).toBe(4);
    expect(scored.stdout + scored.stderr).toContain('./adapter.gguf: LoRA adapter: is no GGUF file');
    rmSync(modelParts(split)[1]!);
    write(', lora: missing.gguf');
    const { stderr } = await workspace.run('validate');
    expect(stderr).toContain('split-00002-of-00003.gguf: no such model file');
    expect(stderr).toContain('missing.gguf: LoRA adapter: no such model file');
  }, 60_000);
});
