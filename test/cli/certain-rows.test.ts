import { readFileSync, rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import type { Results } from '../../src/results/results-schema.js';
import { run } from './fake-io.js';
import { importedSuite } from './imported-suite.js';

const MODELS = ['base', 'ref-a', 'ref-b', 'chat'];
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Imports rows of probabilities for every model and calibrates. */
async function calibrated(rowsOf: (model: string) => readonly object[], ...more: string[]) {
  const suite = importedSuite();
  folders.push(suite.folder);
  for (const model of MODELS) {
    const ended = await suite.import(model, rowsOf(model), 'probabilities');
    expect(ended).toMatchObject({ code: 0 });
  }
  const ended = await run(['calibrate', '--suite', 's', ...suite.flags, '--out', suite.file('out'), ...more]);
  const results: Results = JSON.parse(readFileSync(suite.file('out/results.json'), 'utf8'));
  return { ...ended, results, suite };
}

describe('rows with an option of probability 0', () => {
  it('count in accuracy and ECE: a certain wrong row is one', async () => {
    const rows = [
      { id: 'a', logits: [0.95, 0.05], label: 0 },
      { id: 'b', logits: [1, 0], label: 1 },
    ];
    const { results, suite } = await calibrated(() => rows, '--calibration-fraction', '0.0001');
    const [vanilla] = results.runs;
    expect(vanilla).toMatchObject({
      method: 'vanilla',
      labelledCount: 2,
      accuracy: 0.5,
      nll: null,
      nllKind: 'infinite',
    });
    expect(vanilla?.ece).toBeCloseTo(0.475, 12);
    expect(results.skipped).toEqual([]);
    expect(await run(['report', '--out', suite.file('out')])).toMatchObject({ code: 0 });
    expect(readFileSync(suite.file('out/tables/runs.csv'), 'utf8')).toContain('infinite');
  });

  it('are left out of every fit alike, said so, and kept in every evaluation', async () => {
    const count = 40;
    const rowsOf = (certain: boolean) => (model: string) =>
      Array.from({ length: count }, (_, n) => {
        const m = MODELS.indexOf(model) + 1;
        const p = 0.5 + 0.45 * Math.sin(5 * n + (m * m) / 3);
        const sure = certain && model === 'chat' && n % 4 === 0;
        return { id: `q${n + 10}`, logits: sure ? [1, 0] : [p, 1 - p], label: n % 3 === 0 ? 0 : 1 };
      });
    const { results, suite } = await calibrated(rowsOf(true));
    expect(results.warnings).toContainEqual(
      expect.stringMatching(/chat: 10 of 40 examples have an option of probability 0 .* no method is fitted on them/),
    );
    const ofSeed = results.runs.filter(({ seed }) => seed === 1);
    expect(new Set(ofSeed.map(({ calibrationCount }) => calibrationCount)).size).toBe(1);
    expect(ofSeed[0]?.calibrationCount).toBeLessThan(12);
    for (const { evaluationCount, labelledCount, ece } of ofSeed) {
      expect([evaluationCount, labelledCount]).toEqual([28, 28]);
      expect(ece).toBeGreaterThan(0);
    }
    // What is exported of such rows is a file of JSON, which has no infinity.
    const file = suite.file('chat.json');
    const flags = ['--suite', 's', '--target', 'chat', '--dataset', 'quiz', '--out', file];
    expect(await run(['export', ...flags, ...suite.flags])).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(file, 'utf8')).drift.signals).toMatchObject({
      rawConfidence: { rows: count },
      margin: { rows: count - 10 },
    });
    const fitted = ofSeed.filter(({ temperatureKind }) => temperatureKind === 'finite');
    expect(fitted.map(({ method }) => method)).toEqual(expect.arrayContaining(['full-kl', 'supportcal']));
  });

  it('fail the import when no row of the file is usable', async () => {
    const suite = importedSuite();
    folders.push(suite.folder);
    const ended = await suite.import('base', [{ id: 'a', logits: [0, 0] }], 'probabilities');
    expect(ended).toMatchObject({ code: 3, stderr: expect.stringContaining('no row has usable logits') });
  });
});
