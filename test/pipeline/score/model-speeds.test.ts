import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { ModelOutcome } from '../../../src/contract/scorer.js';
import { keepSpeeds, speedLookup } from '../../../src/pipeline/score/model-speeds.js';
import type { ModelPlan } from '../../../src/pipeline/score/score-plan.js';
import { noteStage } from '../../../src/pipeline/write/run-record.js';

let folder: string;
const folders: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'supportcal-speeds-'));
  folders.push(folder);
});
afterAll(() => {
  for (const each of folders) rmSync(each, { recursive: true });
});

const plan = (id: string, sha256 = `hash of ${id}`) => ({ model: { id }, found: { sha256 } }) as ModelPlan;
const done = (model: string, tokens: number, seconds: number) =>
  ({ kind: 'done', model, tokens, seconds, facts: {} }) as ModelOutcome;
const plans = [plan('a'), plan('b')];

test('the speed of a scoring is known to later runs, by model file and backend', async () => {
  await keepSpeeds(folder, plans, [done('a', 1000, 2), { kind: 'failed', model: 'b', reason: 'gone' }], 'cpu');
  const speedOf = await speedLookup(folder);
  expect(speedOf(plan('a'), 'cpu')).toEqual({ tokens: 1000, seconds: 2, at: expect.stringMatching(/^\d{4}-.*Z$/) });
  expect(speedOf(plan('other name', 'hash of a'), 'cpu')).toMatchObject({ tokens: 1000 });
  expect(speedOf(plan('a'), 'cuda')).toBeNull();
  expect(speedOf(plan('a', 'another file'), 'cpu')).toBeNull();
  expect(speedOf(plan('b'), 'cpu')).toBeNull();
});

test('a remainder of less than half the tokens does not replace what a longer run measured', async () => {
  await keepSpeeds(folder, plans, [done('a', 1000, 2)], 'cpu');
  await keepSpeeds(folder, plans, [done('a', 499, 9), done('b', 10, 1)], 'cpu');
  const first = await speedLookup(folder);
  expect([first(plan('a'), 'cpu')!.tokens, first(plan('b'), 'cpu')!.tokens]).toEqual([1000, 10]);
  await keepSpeeds(folder, plans, [done('a', 500, 1)], 'cpu');
  expect((await speedLookup(folder))(plan('a'), 'cpu')).toMatchObject({ tokens: 500, seconds: 1 });
});

test('nothing scored writes nothing, and a damaged file knows nothing', async () => {
  await keepSpeeds(folder, plans, [done('a', 0, 1)], 'cpu');
  expect(readdirSync(folder)).toEqual([]);
  for (const text of ['{', 'null', '[]', '{"hash of a cpu": {"tokens": "many"}}']) {
    writeFileSync(path.join(folder, 'speeds.json'), text);
    expect((await speedLookup(folder))(plan('a'), 'cpu')).toBeNull();
  }
});

test('a stage that ends after the manifest was written is added to it, once', async () => {
  const file = path.join(folder, 'manifest.json');
  const stages = () => JSON.parse(readFileSync(file, 'utf8')).run.stages;
  writeFileSync(file, JSON.stringify({ other: 1, run: { rows: null, stages: [{ stage: 'load', seconds: 1 }] } }));
  await noteStage(folder, 'report', 0.5);
  await noteStage(folder, 'report', 0.25);
  expect(stages()).toEqual([
    { stage: 'load', seconds: 1 },
    { stage: 'report', seconds: 0.25 },
  ]);
  expect(JSON.parse(readFileSync(file, 'utf8')).other).toBe(1);
});

test('a folder without a manifest, or with one of an early version, stays as it is', async () => {
  await noteStage(folder, 'report', 1);
  expect(readdirSync(folder)).toEqual([]);
  writeFileSync(path.join(folder, 'manifest.json'), '{"schemaVersion":1}');
  await noteStage(folder, 'report', 1);
  expect(readFileSync(path.join(folder, 'manifest.json'), 'utf8')).toBe('{"schemaVersion":1}');
});
