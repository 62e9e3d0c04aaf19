import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeImportedEntry } from '../../../src/cache/imported-entry.js';
import { checkKept } from '../../../src/cache/kept-results.js';
import { planOn } from '../../../src/config/plan-suite.js';
import { type SeededGenerator, seededGenerator } from '../../../src/numeric/random/seeded-generator.js';
import { calibrateDataset } from '../../../src/pipeline/calibrate/calibrate-dataset.js';
import { KeptCalibrations } from '../../../src/pipeline/calibrate/kept-calibration.js';
import type { DatasetInput } from '../../../src/pipeline/calibrate/queue-targets.js';
import { collectScores } from '../../../src/pipeline/collect/collect-scores.js';
import { pruneCache } from '../../../src/pipeline/prune-cache.js';
import { deviceOf } from '../../../src/pipeline/score/open-for-scoring.js';
import { planScores } from '../../../src/pipeline/score/score-plan.js';
import { verifyCache } from '../../../src/pipeline/verify-cache.js';
import { openWorkspace } from '../../../src/pipeline/workspace/load-workspace.js';
import type { RunOptions } from '../../../src/pipeline/workspace/run-options.js';
import { temporaryFolder } from '../../files/temporary-folder.js';

const BUILD = '0123456789abcdef';

const EXAMPLES = 200;

/** The input of one data set, from a suite of imported scores. */
async function prepared() {
  const folder = temporaryFolder();
  const at = (name: string) => path.join(folder, name);
  mkdirSync(at('datasets'));
  writeFileSync(at('datasets/quiz.yaml'), '{}\n');
  const bases = ['a', 'b', 'c'];
  const models = [...bases.map((id) => `  - {id: ${id}, role: base}`), '  - {id: t, role: post-trained, base: a}'];
  writeFileSync(at('models.yaml'), `models:\n${models.join('\n')}\nsuites:\n  s: {datasets: [quiz]}\n`);
  const options: RunOptions = {
    suite: 's',
    models: at('models.yaml'),
    datasets: at('datasets'),
    cache: at('cache'),
    out: at('out'),
    ...PLAIN,
  };
  for (const [m, model] of [...bases, 't'].entries()) await importScores(options.cache, model, seededGenerator(m));
  const workspace = await openWorkspace(options);
  const plans = await planScores(workspace, await deviceOf(workspace));
  const { scores, asked } = collectScores(workspace, workspace.datasets[0]!, plans, new Map());
  return { options, input: { suite: planOn(workspace.suite, scores.dataset), scores, asked } satisfies DatasetInput };
}

const PLAIN = { gpu: 'off', refresh: false } as const;

/** Scores of 200 questions of four options; copies of the scores of every model are one question. */
function importScores(cache: string, model: string, generator: SeededGenerator) {
  const random = () => (generator.next() >>> 0) / 2 ** 32;
  const unknown = { logZ: Number.NaN, optionMass: Number.NaN, promptTokens: 0 };
  return writeImportedEntry(cache, {
    datasetHash: null,
    model,
    dataset: 'quiz',
    unit: 'logits',
    sourceHash: '',
    createdAt: '2026-01-01T00:00:00Z',
    labels: Array.from({ length: EXAMPLES }, (_, n) => n % 4),
    rows: Array.from({ length: EXAMPLES }, (_, n) => ({
      status: 'ok' as const,
      id: `q${n}`,
      ...unknown,
      logits: Float64Array.from({ length: 4 }, (_, k) => 3 * random() + (k === n % 4 ? 1 : 0)),
    })),
  });
}

/** A cache that keeps the calibration of the input. */
async function kept() {
  const { options, input } = await prepared();
  const cache = temporaryFolder();
  const calibration = await calibrateDataset(input);
  const keeper = new KeptCalibrations({ cache, build: BUILD });
  keeper.keep(input, calibration);
  await keeper.settle();
  const find = (other: Partial<DatasetInput> = {}, build: string | null = BUILD) =>
    new KeptCalibrations({ cache, build }).find({ ...input, ...other });
  const folder = path.join(cache, 'calibrated');
  return { cache, options, input, calibration, find, file: path.join(folder, readdirSync(folder)[0]!) };
}

describe('a calibration that an earlier run kept', () => {
  it('comes back as it was, every number and every list', async () => {
    const { calibration, find } = await kept();
    expect(calibration.runs.length).toBeGreaterThan(0);
    expect(calibration.cells.length).toBeGreaterThan(0);
    expect(await find()).toEqual(calibration);
  });

  it('is not taken for another score, label, id, setting or build', async () => {
    const { input, find } = await kept();
    const { suite, scores } = input;
    const [name, first] = [...scores.models][0]!;
    const moved = { ...first.logits, values: first.logits.values.map((value, n) => value + (n === 0 ? 1e-12 : 0)) };
    const others: Partial<DatasetInput>[] = [
      { scores: { ...scores, models: new Map([...scores.models, [name, { ...first, logits: moved }]]) } },
      { scores: { ...scores, labels: scores.labels.map((label, n) => (n === 0 ? (label + 1) % 2 : label)) } },
      { scores: { ...scores, ids: scores.ids.map((id, n) => (n === 0 ? `${id}x` : id)) } },
      { suite: { ...suite, seeds: [...suite.seeds, 99] } },
      { suite: { ...suite, bootstrap: 41 } },
      { suite: { ...suite, combinationSizes: () => [] } },
    ];
    for (const other of others) expect(await find(other)).toBeNull();
    expect(await find({}, 'fedcba9876543210')).toBeNull();
    expect(await find({}, null)).toBeNull();
  });

  it('is neither taken nor kept with a method whose code has no hash', async () => {
    const { cache, input, calibration, find } = await kept();
    const suite = { ...input.suite, ownMethods: [{ name: 'mine' }] as never };
    expect(await find({ suite })).toBeNull();
    expect(new KeptCalibrations({ cache, build: BUILD }).mayHave(suite, [input.scores.dataset])).toBe(false);
    const empty = temporaryFolder();
    const keeper = new KeptCalibrations({ cache: empty, build: BUILD });
    keeper.keep({ ...input, suite }, calibration);
    await keeper.settle();
    expect(readdirSync(empty)).toEqual([]);
  });

  it('is made anew when a byte of it has changed, and cache verify names the file', async () => {
    const { cache, find, file } = await kept();
    expect((await verifyCache(cache)).damaged).toEqual([]);
    const bytes = readFileSync(file);
    bytes[bytes.length - 9]! ^= 1;
    writeFileSync(file, bytes);
    expect(await find()).toBeNull();
    const [damaged] = (await verifyCache(cache)).damaged;
    expect(damaged).toMatchObject({ file, advice: 'the next run calibrates anew and replaces it' });
    writeFileSync(file, '');
    expect(await find()).toBeNull();
  });

  it('goes with cache prune when another build made it', async () => {
    const { cache, options, file } = await kept();
    expect(await checkKept(cache, BUILD)).toEqual({ outdated: [], damaged: [] });
    const pruned = await pruneCache({ ...options, cache, remove: true });
    expect(pruned.leftOvers).toEqual([{ file, reason: 'a calibration that another build kept', removed: true }]);
    expect(readdirSync(path.dirname(file))).toEqual([]);
  });
});
