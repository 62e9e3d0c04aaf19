import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modelParts } from '../../src/scoring/model-parts.js';
import { splitGguf } from '../scoring/split-gguf.js';
import { demoWorkspace, wordProblems } from './demo-workspace.js';

const workspace = demoWorkspace();
const adapter = workspace.file('adapter.gguf');
const fixture = path.resolve(import.meta.dirname, '../fixtures/lora/tern-q.gguf');
let split: string;
afterAll(() => rmSync(workspace.folder, { recursive: true }));

/** The base of the target is split in three and has the settings `more`. */
async function toScore(more: string, command: 'score' | 'pipeline' = 'score'): Promise<string | undefined> {
  write(more);
  const { stderr } = await workspace.run(command, '--log-level', 'info');
  return stderr.match(/\d+ rows to score, \d+ in the cache/)?.[0];
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
  writeFileSync(
    workspace.file('datasets/quiz.jsonl'),
    wordProblems(6)
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(''),
  );
  writeFileSync(
    workspace.file('datasets/quiz.yaml'),
    `source: quiz.jsonl
fields: {id: id, options: options, label: {field: answer, as: letter}}
prompt: {template: "Question: {question}\\n{options}\\nAnswer:"}
`,
  );
  copyFileSync(fixture, adapter);
  split = splitGguf(workspace.demoModel('base'), 3, workspace.folder);
});

describe('the files and settings of a model', () => {
  it('are in the key of its scores: adapters by content and scale, all parts of a split model, KV type, GPU layers, flash attention', async () => {
    expect(await toScore('')).toBe('18 rows to score, 0 in the cache');
    expect(await toScore('')).toBe('0 rows to score, 18 in the cache');
    for (const more of [
      ', lora: adapter.gguf',
      ', lora: [{file: adapter.gguf, scale: 0.5}]',
      ', scoring: {kvType: f32}',
      ', scoring: {gpuLayers: 1}',
      ', scoring: {flashAttention: on}',
    ]) {
      expect(await toScore(more), more).toBe('6 rows to score, 12 in the cache');
    }
    const changed = readFileSync(adapter);
    changed[changed.length - 1]! ^= 1;
    writeFileSync(adapter, changed);
    expect(await toScore(', lora: [{file: adapter.gguf, scale: 2}]', 'pipeline')).toBe(
      '6 rows to score, 12 in the cache',
    );
    expect(await adaptersInManifest()).toEqual([[], [], [{ file: 'adapter.gguf', scale: 2, sha256: sha256(changed) }]]);
    const last = modelParts(split)[2]!;
    const part = readFileSync(last);
    part[part.length - 40]! ^= 1;
    writeFileSync(last, part);
    expect(await toScore('')).toBe('6 rows to score, 12 in the cache');
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
    write('');
    expect((await workspace.run('validate')).stderr).toContain('split-00002-of-00003.gguf: no such model file');
  }, 60_000);
});
