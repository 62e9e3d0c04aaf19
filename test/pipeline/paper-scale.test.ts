import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadModels } from '../../src/config/load-models.js';
import { planSuite } from '../../src/config/plan-suite.js';
import { seededGenerator } from '../../src/numeric/random/seeded-generator.js';
import { runPipeline } from '../../src/pipeline/run-pipeline.js';
import type { RunOptions } from '../../src/pipeline/workspace/run-options.js';
import type { ReportRun } from '../../src/pipeline/write/write-report-files.js';
import { ggufBytes } from '../models/gguf/gguf-bytes.js';
import { stubScorer } from './stub-scorer.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const ROWS = 4183;
const OPTIONS = 4;
const SEEDS = [1, 2, 3, 4, 5];

const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-paper-'));
const at = (name: string) => path.join(folder, name);
const idOf = (n: number) => `q${String(n).padStart(4, '0')}`;
const options: RunOptions = {
  suite: 'paper-medmcqa',
  models: at('models.yaml'),
  datasets: path.join(root, 'datasets'),
  gpu: 'off',
  cache: at('cache'),
  out: at('out'),
  offline: true,
  // Resamples have tests of their own; here they would be half of the time.
  bootstrap: 0,
  refresh: false,
  sources: new Map([['medmcqa', at('rows.jsonl')]]),
};
const labels = new Map<string, number>();
let run: ReportRun;
let models: Awaited<ReturnType<typeof writeModels>>;

/** The suite as it ships; each model file is a small one, by models.local.yaml. */
async function writeModels() {
  cpSync(path.join(root, 'published'), at('published'), { recursive: true });
  cpSync(path.join(root, 'models.yaml'), at('models.yaml'));
  const { models } = planSuite(await loadModels(at('models.yaml')), { suite: 'paper-medmcqa' });
  const bytes = ggufBytes();
  for (const [m, { id }] of models.entries()) writeFileSync(at(`${id}.gguf`), bytes.fill(m + 2, bytes.length - 30));
  writeFileSync(
    at('models.local.yaml'),
    JSON.stringify({ models: models.map(({ id }) => ({ id, file: `${id}.gguf` })) }),
  );
  return models;
}

beforeAll(async () => {
  models = await writeModels();
  const generator = seededGenerator(99);
  for (let n = 0; n < ROWS; n++) labels.set(idOf(n), (generator.next() >>> 0) % OPTIONS);
  const rows = [...labels].map(([id, cop]) =>
    JSON.stringify({
      id,
      cop,
      question: `Question ${id}?`,
      opa: `${id} a`,
      opb: `${id} b`,
      opc: `${id} c`,
      opd: `${id} d`,
    }),
  );
  writeFileSync(at('rows.jsonl'), `${rows.join('\n')}\n`);
  const bases = models.filter(({ role }) => role === 'base').map(({ id }) => id);
  const scorer = stubScorer({ labels, options: OPTIONS, bases });
  run = await runPipeline(options, {}, new AbortController().signal, scorer);
  // About 12 s of CPU; the limit leaves room for a machine that does other work.
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true }));

const macro = (method: string, size: number | null = null) =>
  run.results.macro.find((row) => row.method === method && row.combinationSize === size)!.eceMeanPp!;

describe('the pipeline at the scale of the paper, with a stub in place of the models', () => {
  it('scores, caches and calibrates 12 targets by every column of the table, over five seeds, with nothing left out', () => {
    const { runs, summary, skipped, status } = run.results;
    expect([models.length, new Set(summary.map(({ target }) => target)).size]).toEqual([14 + 12, 12]);
    // The seven columns of the paper and the bound on labels.
    expect([runs.length, summary.length]).toEqual([12 * 8 * SEEDS.length, 12 * 8]);
    expect([status, skipped]).toEqual(['complete', []]);
    expect(new Set(runs.map(({ seed }) => seed))).toEqual(new Set(SEEDS));
    expect(
      runs.every(({ calibrationCount, evaluationCount }) => calibrationCount === 1254 && evaluationCount === 2929),
    ).toBe(true);
    // Plain scores of every model; rotations, one reply and five replies of every target.
    const entries = readdirSync(at('cache')).filter((name) => name.endsWith('.arrow'));
    expect(entries).toHaveLength(26 + 3 * 12);
  });

  it('finds the bases calibrated and the targets over-confident', () => {
    const targets = new Set(run.results.summary.map(({ target }) => target));
    const bases = run.diagnostics.models.filter(({ model }) => !targets.has(model));
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

  it('orders the columns as their construction does: stated confidence worst, then plain, then averaged orders', () => {
    const fitted = [macro('daca'), macro('supportcal', 2), macro('supportcal', 4)];
    expect(macro('elicitation')).toBeGreaterThan(macro('vanilla'));
    expect(macro('elicitation-ensemble')).toBeGreaterThan(macro('vanilla'));
    expect(macro('cape')).toBeLessThan(macro('vanilla'));
    expect(Math.max(...fitted)).toBeLessThan(macro('cape'));
    // A calibrated teacher tells as much as labels do: each is within what 2,929 rows can tell apart from the bound.
    for (const each of fitted) expect(Math.abs(each - macro('oracle-ts'))).toBeLessThan(0.5);
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

  it('says how many replies could be read', () => {
    const { elicitation } = run.diagnostics;
    expect(elicitation).toHaveLength(2 * 12);
    for (const { parsed, replies } of elicitation!) {
      expect(parsed / replies).toBeGreaterThan(0.97);
      expect(parsed).toBeLessThan(replies);
    }
  });

  it('writes every file and sets all printed numbers beside ours, with the difference in standard errors', () => {
    const files = readdirSync(at('out'), { recursive: true }).map((file) => String(file).replaceAll('\\', '/'));
    expect(files).toEqual(
      expect.arrayContaining([
        ...['results.json', 'splits.json', 'diagnostics.json', 'manifest.json', 'report.md'],
        ...['tables/medmcqa.csv', 'tables/published.csv', 'tables/runs.csv'],
      ]),
    );
    const [table] = run.results.published!.tables;
    expect(table!.rows).toHaveLength(12 * 7);
    for (const row of table!.rows) {
      expect(row.differenceSe).toBeCloseTo(
        (row.eceMeanPp! - row.printedMeanPp) / Math.hypot(row.eceSePp!, row.printedSePp),
        9,
      );
    }
    const report = readFileSync(at('out/report.md'), 'utf8');
    expect(report).toContain('### Beside SupportCal paper');
    expect(report).toMatch(/\| gemma3-12b-it \| [\d.]+ \/ 37\.97 \([+−-][\d.]+ SE\) \|/);
  });

  it('asks nobody a second time: everything is in the cache', async () => {
    const refuse = () => Promise.reject(new Error('asked again'));
    const again = await runPipeline(
      { ...options, targetIds: ['yi-1.5-9b-chat'] },
      {},
      new AbortController().signal,
      refuse,
    );
    const { runs } = again.results;
    expect(runs).toEqual(run.results.runs.filter(({ target }) => target === 'yi-1.5-9b-chat'));
  });
});
