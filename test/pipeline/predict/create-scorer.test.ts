import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createScorer } from '../../../src/pipeline/predict/create-scorer.js';

const cache = mkdtempSync(path.join(tmpdir(), 'supportcal-scorer-'));
afterAll(() => rmSync(cache, { recursive: true }));
const model = path.resolve(import.meta.dirname, '../../../models/demo/tern-dpo.gguf');
const options = ['A', 'B', 'C', 'D'];
const text = (what: string) => `Question: What covers the ${what}?\nA. spots\nB. wool\nC. slime\nD. fur\nAnswer:`;

it('gives the option logits of a model file for prompts of one’s own, several calls at once', async () => {
  const scorer = await createScorer({ model, cache, gpu: 'off' });
  const calls = ['drotkfin', 'krirptail'].map((what) => scorer.score([{ prompt: text(what), options }]));
  const [[first], [second]] = (await Promise.all(calls)) as [[unknown], [unknown]];
  const both = await scorer.score(['drotkfin', 'krirptail'].map((what) => ({ prompt: text(what), options })));
  for (const row of both) expect(row).toMatchObject({ status: 'ok', promptTokens: expect.any(Number) });
  const logits = (row: unknown) => Array.from((row as { logits: ArrayLike<number> }).logits, (each) => each.toFixed(2));
  expect([logits(first), logits(second)]).toEqual(both.map(logits));
  expect(logits(first)).not.toEqual(logits(second));
  await expect(scorer.score([{ prompt: 'x' } as never])).rejects.toThrow(/row 1: expected \{ prompt: text, options/);
  await scorer.close();
});

it('refuses what is no model file before a process is started', async () => {
  await expect(createScorer({ model: 'nothing.gguf', cache, gpu: 'off' })).rejects.toThrow(/nothing\.gguf/);
});
