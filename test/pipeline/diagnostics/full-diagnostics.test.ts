import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Diagnostics } from '../../../src/results/diagnostics-schema.js';
import type { Results } from '../../../src/results/results-schema.js';
import { run } from '../../cli/fake-io.js';
import { type ImportedSuite, importAll, importedSuite } from '../../cli/imported-suite.js';

/** Stands for a run so large that `auto` draws no resamples. */
const large = vi.hoisted(() => ({ is: false }));
vi.mock(import('../../../src/pipeline/bootstrap/resample-count.js'), async (original) => {
  const { resampleCount, binResampleCount, ...others } = await original();
  const unlessLarge = (count: typeof resampleCount) => (asked: number | 'auto', examples: number) =>
    large.is ? 0 : count(asked, examples);
  return { ...others, resampleCount: unlessLarge(resampleCount), binResampleCount: unlessLarge(binResampleCount) };
});

let suite: ImportedSuite;
let full: { results: Results; diagnostics: Diagnostics };

async function calibrate(out: string, ...more: string[]) {
  const io = await run(['pipeline', '--suite', 's', ...suite.flags, '--out', suite.file(out), ...more]);
  // Few examples are all that there is to warn about.
  expect(io.stderr).toMatch(/^warn: quiz: 28 labelled evaluation examples[^\n]*\ndone in [^\n]*\n$/);
  expect(io.code).toBe(0);
  const read = (name: string) => JSON.parse(readFileSync(suite.file(`${out}/${name}`), 'utf8'));
  return { results: read('results.json') as Results, diagnostics: read('diagnostics.json') as Diagnostics };
}

beforeAll(async () => {
  suite = importedSuite();
  await importAll(suite);
  full = await calibrate('full', '--diagnostics', 'full', '--list-combinations');
});

const ofAll = <T extends { target: string | null }>(rows: T[] | undefined) =>
  rows!.filter((row) => row.target === null);
const meanPp = (method: string, combinationSize: number | null) =>
  full.results.macro.find((row) => row.method === method && row.combinationSize === combinationSize)!.eceMeanPp!;

test('by default a small run has the curves of all seeds for the smallest M, equal to the full ones there, and not the rest', async () => {
  const { diagnostics } = await calibrate('basic');
  expect(diagnostics).toMatchObject({ level: 'basic' });
  expect(diagnostics.disagreement).toHaveLength(1);
  expect(diagnostics.relativeOnly!.length).toBeGreaterThan(0);
  expect(diagnostics.loss).toEqual(full.diagnostics.loss);
  const smallest = <T extends { combinationSize: number | null }>(rows: T[] | undefined) =>
    rows!.filter(({ combinationSize }) => combinationSize !== 2);
  const shown = smallest(full.diagnostics.sampleSize).filter(({ method }) =>
    ['daca', 'supportcal', 'auto', 'oracle-ts'].includes(method),
  );
  expect(diagnostics.sampleSize).toEqual(shown);
  expect(diagnostics.reintroduction).toEqual(smallest(full.diagnostics.reintroduction));
  expect(diagnostics.weightByMargin).toEqual(smallest(full.diagnostics.weightByMargin));
  expect(diagnostics.sensitivity).toEqual(full.diagnostics.sensitivity);
  expect(diagnostics.combinations).toBeUndefined();
  expect(diagnostics.notes!.reintroduction).toContain('Mean over targets and seeds');
  expect(readFileSync(suite.file('basic/report.md'), 'utf8')).toContain('--diagnostics full');
});

test('results.json has the numbers of the diagnostics, those of diagnostics.json', () => {
  const { diagnostics: inResults } = full.results;
  expect(Object.keys(inResults!).sort()).toEqual(
    [
      ...[
        'combinations',
        'disagreement',
        'disagreementMedians',
        'regret',
        'reintroduction',
        'relativeOnly',
        'riskCoverage',
        'sampleSize',
      ],
      ...['sensitivity', 'weightByMargin', 'weightBySign'],
    ].sort(),
  );
  expect(full.diagnostics).toMatchObject(inResults!);
});

test('reliability bins have intervals around their accuracy, and none with --bootstrap 0', async () => {
  const bins = full.diagnostics.reliability.flatMap((row) => row.bins);
  const banded = bins.filter(({ accuracyLow }) => accuracyLow !== null);
  expect(banded.length).toBeGreaterThan(0);
  for (const { accuracy, accuracyLow, accuracyHigh } of banded) {
    expect(accuracyLow!).toBeLessThanOrEqual(accuracy!);
    expect(accuracyHigh!).toBeGreaterThanOrEqual(accuracy!);
  }
  for (const { count, accuracy, accuracyLow } of bins)
    if (count === 0 || accuracy === 0 || accuracy === 1) expect(accuracyLow).toBeNull();
  const { diagnostics } = await calibrate('without', '--bootstrap', '0');
  for (const bin of diagnostics.reliability.flatMap((row) => row.bins)) expect(bin.accuracyLow).toBeNull();
});

describe('full diagnostics agree with the results of the same run', () => {
  test('disagreement rate over all examples, and its median over targets', () => {
    const [row] = full.diagnostics.disagreement!;
    expect(row).toMatchObject({ target: 'chat', ownBase: 'base', examples: 40 });
    expect(row!.rate).toBe(row!.disagreements / 40);
    expect(full.diagnostics.disagreementMedians).toEqual([{ dataset: 'quiz', targets: 1, median: row!.rate }]);
  });

  test('the reintroduction curve begins at DACA and ends at full KL and at SupportCal', () => {
    const curves = ofAll(full.diagnostics.reintroduction);
    expect(curves.map(({ weights, combinationSize }) => [weights, combinationSize])).toEqual([
      ['unit', null],
      ['supportcal', 1],
      ['supportcal', 2],
    ]);
    for (const { weights, combinationSize, points } of curves) {
      expect(points.map(({ x }) => x)).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]);
      expect(100 * points[0]!.eceMean!).toBeCloseTo(meanPp('daca', null), 10);
      const end = weights === 'unit' ? meanPp('full-kl', null) : meanPp('supportcal', combinationSize);
      expect(100 * points[10]!.eceMean!).toBeCloseTo(end, 10);
      expect(points[5]!.fits).toBe(2);
    }
    expect(full.diagnostics.notes!.reintroduction).toContain('drawn by fisher-yates');
  });

  test('sensitivity has every M of the pool, equal to the runs where they have it', () => {
    const [curve] = ofAll(full.diagnostics.sensitivity);
    expect(curve!.points.map(({ x }) => x)).toEqual([1, 2]);
    for (const { x, eceMean } of curve!.points) expect(100 * eceMean!).toBeCloseTo(meanPp('supportcal', x), 10);
  });

  test('the ablation repeats the summary of DACA, relative-only and SupportCal', () => {
    const rows = full.diagnostics.relativeOnly!.filter(({ target }) => target === 'chat');
    expect(rows.map(({ method }) => method)).toEqual(['daca', 'relative-only', 'supportcal', 'supportcal']);
    for (const { method, combinationSize, eceMeanPp, eceSePp } of rows) {
      const same = full.results.summary.find((row) => row.method === method && row.combinationSize === combinationSize);
      expect([eceMeanPp, eceSePp]).toEqual([same!.eceMeanPp, same!.eceSePp]);
    }
  });

  test('weights by margin and by sign are of all disagreement examples of the calibration splits', () => {
    const perSeed = full.results.runs.filter(({ method }) => method === 'daca');
    const inD = perSeed.reduce((sum, run) => sum + Math.round(run.disagreementRate! * run.calibrationCount), 0);
    for (const { bins } of full.diagnostics.weightByMargin!)
      expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(inD);
    for (const size of [1, 2]) {
      const rows = ofAll(full.diagnostics.weightBySign).filter(({ combinationSize }) => combinationSize === size);
      expect(rows.map(({ sign }) => sign)).toEqual(['negative', 'zero', 'positive']);
      expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(inD);
    }
  });

  test('every method has a sample-size curve whose points share their evaluation examples', () => {
    const curves = ofAll(full.diagnostics.sampleSize);
    expect(curves.map(({ method }) => method)).toEqual(full.results.macro.map(({ method }) => method));
    const [vanilla] = curves;
    expect(vanilla!.points.map(({ x }) => x)).toEqual([0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5]);
    expect(vanilla!.points.map(({ calibrationCount }) => calibrationCount)).toEqual([0, 2, 4, 8, 12, 16, 20]);
    // Vanilla fits nothing: were the evaluation examples not the same, its ECE would move.
    expect(new Set(vanilla!.points.map(({ eceMean }) => eceMean)).size).toBe(1);
    const daca = curves.find(({ method }) => method === 'daca')!;
    expect(daca.points[0]).toMatchObject({ eceMean: null, temperatureMean: null, none: 2 });
  });

  test('combinations are listed for every seed and M, best first, and the first is the selected one', () => {
    const rows = full.diagnostics.combinations!;
    expect(rows).toHaveLength(2 * (2 + 1));
    for (const run of full.results.runs.filter(({ method }) => method === 'supportcal')) {
      const own = rows.filter((row) => row.seed === run.seed && row.combinationSize === run.combinationSize);
      expect(own.filter(({ selected }) => selected)).toEqual([own[0]]);
      expect(own[0]!.references).toEqual(run.selectedReferences);
      expect(own[0]!.disagreementSupport).toBeCloseTo(run.disagreementSupport!, 12);
    }
  });

  test('report.md has a table of each, and tables/ their points', () => {
    const report = readFileSync(suite.file('full/report.md'), 'utf8');
    for (const title of ['Disagreement rates', 'Relative support alone', 'Reintroducing disagreement'])
      expect(report).toContain(`### ${title}`);
    for (const title of ['Weights by boundary margin', 'Sensitivity to M', 'How many examples the fit needs'])
      expect(report).toContain(`### ${title}`);
    expect(report).not.toContain('--diagnostics full');
    const csv = readFileSync(suite.file('full/tables/diagnostics--reintroduction.csv'), 'utf8').trim().split('\n');
    expect(csv[0]).toBe(
      'dataset,weights,combinationSize,target,x,eceMean,eceSe,temperatureMean,infinite,none,fits,calibrationCount',
    );
    expect(csv).toHaveLength(1 + 3 * 2 * 11);
  });
});

test('the same run twice gives the same diagnostics', async () => {
  const again = await calibrate('again', '--diagnostics', 'full', '--list-combinations');
  expect(again.diagnostics).toEqual(full.diagnostics);
});

test('where no resamples are drawn the intervals of smooth ECE are those of the confidences that were measured', async () => {
  large.is = true;
  const { results } = await calibrate('large', '--diagnostics', 'full');
  large.is = false;
  const smooth = results.summary.flatMap(({ intervals }) => intervals?.smoothEce ?? []);
  expect(smooth.length).toBeGreaterThan(0);
  for (const { lowPp, highPp } of smooth) expect(lowPp).toBeLessThan(highPp);
});
