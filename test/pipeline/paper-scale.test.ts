import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeImportedEntry } from '../../src/cache/imported-entry.js';
import { loadModels } from '../../src/config/load-models.js';
import type { ModelSpec } from '../../src/config/models-schema.js';
import { planSuite } from '../../src/config/plan-suite.js';
import { type SeededGenerator, seededGenerator } from '../../src/numeric/seeded-generator.js';
import type { ReportRun } from '../../src/pipeline/report-stage.js';
import { runPipeline } from '../../src/pipeline/run-pipeline.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const ROWS = 4183;
const OPTIONS = 4;
const SEEDS = [1, 2, 3, 4, 5];

const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-paper-'));
const at = (name: string) => path.join(folder, name);
let run: ReportRun;

/** A standard normal draw (Box and Muller). */
function normal(generator: SeededGenerator): number {
  const uniform = () => ((generator.next() >>> 0) + 0.5) / 2 ** 32;
  return Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/**
 * The stub scorer. Every model sees strength x [k is right] + noise; softmax(strength x seen) is then the exact posterior, so
 * bases are calibrated. Half of the noise is shared, as models share mistakes. A target sees what its own base sees with
 * a little more noise, and triples its logits: over-confident, and at times of another opinion.
 */
function stubLogits(
  labels: readonly number[],
  shared: readonly number[],
  own: readonly number[],
  strength: number,
  generator: SeededGenerator,
) {
  const base = labels.flatMap((label, n) =>
    Array.from({ length: OPTIONS }, (_, k) => {
      const noise = Math.SQRT1_2 * (shared[n * OPTIONS + k]! + own[n * OPTIONS + k]!);
      return strength * ((k === label ? strength : 0) + noise);
    }),
  );
  return { base, target: base.map((logit) => 3 * (logit + 0.4 * normal(generator))) };
}

async function importAll(models: readonly ModelSpec[], dataset: string): Promise<void> {
  const draws = (seed: number) => {
    const generator = seededGenerator(seed);
    return Array.from({ length: ROWS * OPTIONS }, () => normal(generator));
  };
  const generator = seededGenerator(99);
  const labels = Array.from({ length: ROWS }, () => (generator.next() >>> 0) % OPTIONS);
  const shared = draws(1);
  const bases = models.filter(({ role }) => role === 'base');
  const write = (model: string, logits: readonly number[]) =>
    writeImportedEntry(at('cache'), {
      ...{ model, dataset, unit: 'logits', labels, sourceHash: '0'.repeat(64), datasetHash: null },
      createdAt: '2026-01-01T00:00:00.000Z',
      rows: labels.map((_, n) => ({
        ...{
          status: 'ok',
          id: `q${String(n).padStart(4, '0')}`,
          logZ: Number.NaN,
          optionMass: Number.NaN,
          promptTokens: 0,
        },
        logits: logits.slice(n * OPTIONS, (n + 1) * OPTIONS),
      })),
    });
  for (const [b, base] of bases.entries()) {
    const seen = stubLogits(labels, shared, draws(10 + b), 0.9 + 0.05 * b, seededGenerator(200 + b));
    await write(base.id, seen.base);
    for (const { id } of models.filter((model) => model.base === base.id)) await write(id, seen.target);
  }
}

beforeAll(async () => {
  mkdirSync(at('datasets'));
  cpSync(path.join(root, 'published'), at('published'), { recursive: true });
  // The suite as it ships, but for CAPE and elicitation: imported scores have neither.
  writeFileSync(
    at('models.yaml'),
    readFileSync(path.join(root, 'models.yaml'), 'utf8').replaceAll('cape, elicitation, elicitation-ensemble, ', ''),
  );
  writeFileSync(at('datasets/medmcqa.yaml'), 'title: MedMCQA, stub scores\n');
  const plan = planSuite(await loadModels(at('models.yaml')), { suite: 'paper-medmcqa' });
  await importAll(plan.models, 'medmcqa');
  run = await runPipeline(
    {
      ...{ suite: 'paper-medmcqa', models: at('models.yaml'), datasets: at('datasets'), gpu: 'off', refresh: false },
      ...{ cache: at('cache'), out: at('out'), offline: true },
    },
    {},
    new AbortController().signal,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const macro = (method: string) => run.results.macro.find((row) => row.method === method)!.eceMeanPp!;

describe('the pipeline at the scale of the paper', () => {
  it('runs 12 targets, every method and both M, over five seeds, with nothing left out', () => {
    const { runs, summary, skipped, status } = run.results;
    // vanilla, DACA, SupportCal (2), SupportCal (4) and the bound on labels.
    expect([runs.length, summary.length]).toEqual([12 * 5 * SEEDS.length, 12 * 5]);
    expect([status, skipped]).toEqual(['complete', []]);
    expect(new Set(runs.map(({ seed }) => seed))).toEqual(new Set(SEEDS));
    expect(
      runs.every(({ calibrationCount, evaluationCount }) => calibrationCount === 1254 && evaluationCount === 2929),
    ).toBe(true);
  });

  it('finds the bases calibrated and the targets over-confident', () => {
    const bases = run.diagnostics.models.filter(
      ({ model }) => !run.results.summary.some(({ target }) => target === model),
    );
    expect(bases).toHaveLength(14);
    for (const { ece } of bases) expect(ece).toBeLessThan(0.03);
    expect(macro('vanilla')).toBeGreaterThan(15);
    for (const { overconfidence, method } of run.results.runs)
      if (method === 'vanilla') expect(overconfidence).toBeGreaterThan(0.05);
  });

  it('calibrates every target: DACA and SupportCal are far below vanilla', () => {
    const { summary } = run.results;
    for (const { target, eceMeanPp: vanilla } of summary.filter(({ method }) => method === 'vanilla')) {
      const others = summary.filter((row) => row.target === target && ['daca', 'supportcal'].includes(row.method));
      expect(others).toHaveLength(3);
      for (const { eceMeanPp } of others) expect(eceMeanPp).toBeLessThan(0.5 * vanilla!);
    }
  });

  it('selects M references of the bucket and never the own base', () => {
    const selected = run.results.runs.filter(({ method }) => method === 'supportcal');
    expect(selected).toHaveLength(12 * 2 * SEEDS.length);
    for (const { selectedReferences, combinationSize, ownBase } of selected) {
      expect(selectedReferences).toHaveLength(combinationSize!);
      expect(selectedReferences).not.toContain(ownBase);
      expect(selectedReferences).not.toContain('qwen2.5-math-7b');
    }
  });

  it('writes every file and sets the printed numbers beside ours', () => {
    const files = readdirSync(at('out'), { recursive: true }).map((file) => String(file).replaceAll('\\', '/'));
    expect(files).toEqual(
      expect.arrayContaining([
        ...['results.json', 'splits.json', 'diagnostics.json', 'manifest.json', 'report.md'],
        ...['tables/medmcqa.csv', 'tables/published.csv', 'tables/runs.csv'],
      ]),
    );
    const [table] = run.results.published!.tables;
    const ours = table!.rows.filter(({ eceMeanPp }) => eceMeanPp !== null);
    // Of the seven printed columns: vanilla, DACA and SupportCal with both M.
    expect([table!.rows.length, ours.length]).toEqual([12 * 7, 12 * 4]);
    for (const row of ours) {
      expect(row.differenceSe).toBeCloseTo(
        (row.eceMeanPp! - row.printedMeanPp) / Math.hypot(row.eceSePp!, row.printedSePp),
        9,
      );
    }
    expect(readFileSync(at('out/report.md'), 'utf8')).toContain('### Beside SupportCal paper');
  });
});
