import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { listEntries } from '../../../src/cache/list-entries.js';
import type { Scorer } from '../../../src/contract/scorer.js';
import { pruneCache } from '../../../src/pipeline/prune-cache.js';
import type { RunOptions } from '../../../src/pipeline/workspace/run-options.js';
import { deviceMemory, rememberDevice, rememberedCard } from '../../../src/scoring/device/remembered-device.js';
import { keepTuned, type TunedShape, tunedFor } from '../../../src/scoring/source/tuned-shapes.js';
import { quizWorkspace } from '../quiz-workspace.js';
import { pacedScorer, sharedRun } from './shared-runs.js';

let options: RunOptions;
let bytes: number;
beforeEach(() => {
  const workspace = quizWorkspace();
  options = { ...workspace.options, gpu: 'cuda' };
  bytes = statSync(workspace.demoModel('target')).size;
  mkdirSync(options.cache);
  onCard('NVIDIA H200');
});

/** The device of this machine, as a run that probed it put it on record. */
function onCard(card: string | undefined) {
  rememberDevice(deviceMemory(options.cache), 'cuda', { device: 'cuda', reason: 'the first that works', card });
}

const tune = (scoring: TunedShape['scoring']) =>
  keepTuned(options.cache, {
    ...tunedFor('cuda', 'NVIDIA H200', bytes),
    scoring,
    gain: 1.3,
    tunedAt: '2026-11-29T00:00:00.000Z',
  });

/** The shapes in which a run scores models. */
async function shapesOf(run: RunOptions, logged: string[] = []): Promise<Set<string>> {
  const asked = new Set<string>();
  const { scorer: all } = pacedScorer({ batch: 4, pause: async () => {} });
  const scorer: Scorer = async (jobs, settings, events) => {
    for (const { model } of jobs) asked.add(JSON.stringify(model.scoring ?? {}));
    return await all(jobs, settings, events);
  };
  const onLog = (level: string, line: string) => void logged.push(`${level}: ${line}`);
  await sharedRun(run, scorer, { events: { onLog } });
  return asked;
}

const keysOf = async () =>
  (await listEntries(options.cache)).map(({ key }) =>
    key?.kind === 'scored' && 'settings' in key ? [key.settings.sequences, key.settings.batchSize] : [],
  );

describe('a model for whose shape a faster evaluation was found', () => {
  it('is scored so on that card, with what moves numbers in the key, and found and kept from then on', async () => {
    await tune({ contexts: 3, sequences: 128 });
    const logged: string[] = [];
    expect(await shapesOf(options, logged)).toEqual(new Set(['{"contexts":3,"sequences":128}']));
    expect(logged).toContain(
      'info: target is scored with { contexts: 3, sequences: 128 }, of which models.yaml says nothing (tuned.json or lowered.json in the cache)',
    );
    expect(new Set((await keysOf()).map(String))).toEqual(new Set(['128,']));
    expect(await shapesOf(options)).toEqual(new Set());
    expect((await pruneCache({ ...options, remove: true })).entries).toEqual([]);
  });

  it('keeps the scores that it had before, and is scored in the new shape where some are missing', async () => {
    await shapesOf(options);
    await tune({ sequences: 128 });
    expect(await shapesOf(options)).toEqual(new Set());
    const longer = { ...options, refresh: true };
    expect(await shapesOf(longer)).toEqual(new Set(['{"sequences":128}']));
    expect(await shapesOf(options)).toEqual(new Set());
  });

  it('has one key whether it has more contexts or not', async () => {
    await tune({ contexts: 4 });
    expect(await shapesOf(options)).toEqual(new Set(['{"contexts":4}']));
    await tune({});
    expect(await shapesOf(options)).toEqual(new Set());
  });

  it('is on the card that its run found, whatever another host that shares the folder says of its own meanwhile', async () => {
    await tune({ sequences: 128 });
    writeFileSync(
      deviceMemory(options.cache),
      JSON.stringify({ cuda: { fingerprint: 'another host', backend: 'cuda' } }),
    );
    expect(rememberedCard(deviceMemory(options.cache), 'cuda')).toBe('NVIDIA H200');
  });

  it.each([undefined, 'NVIDIA L4'])('is scored in the default shape on another card: %s', async (card) => {
    await tune({ sequences: 128 });
    onCard(card);
    expect(await shapesOf(options)).toEqual(new Set(['{}']));
  });
});
