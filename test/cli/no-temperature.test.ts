import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Results } from '../../src/index.js';
import { run } from './fake-io.js';
import { importAll, importedSuite, rowsOf } from './imported-suite.js';

/**
 * 20 rows of equal logits per model, imported, calibrated and reported; the label is the first option in 12 of them.
 */
async function reportOf(target: readonly number[], base: readonly number[]) {
  const suite = importedSuite();
  const rows = (logits: readonly number[]) =>
    Array.from({ length: 20 }, (_, n) => ({ id: `q${n}`, logits, label: n < 12 ? 0 : 1 }));
  for (const model of ['base', 'ref-a', 'ref-b']) await suite.import(model, rows(base));
  await suite.import('chat', rows(target));
  const out = suite.file('out');
  const flags = ['--suite', 's', '--out', out, ...suite.flags];
  const { code, stdout } = await run(['pipeline', ...flags]);
  const read = (name: string) => readFileSync(`${out}/${name}`, 'utf8');
  const results: Results = JSON.parse(read('results.json'));
  const of = (method: string) => results.runs.find((each) => each.method === method)!;
  return {
    code,
    stdout,
    of,
    results,
    report: read('report.md'),
    html: read('report.html'),
    csv: read('tables/runs.csv'),
  };
}

describe('a temperature that does not exist', () => {
  it('runs away: `infinite` without a number, confidence 1/K, counted in the report, averaged nowhere', async () => {
    const { code, stdout, of, report, html, csv } = await reportOf([2, 0], [Math.log(0.3), Math.log(0.7)]);
    expect(code).toBe(0);
    const fullKl = of('full-kl');
    expect(fullKl).toMatchObject({ temperature: null, temperatureKind: 'infinite', meanConfidence: 0.5 });
    expect(fullKl.weightedBoundaryMargin).toBeCloseTo(-0.4, 12);
    for (const text of [stdout, report]) expect(text).toMatch(/chat · Full KL ∞ 2\/2/);
    expect(html).toContain('Full KL ∞ 2/2');
    expect(report).toMatch(/\| ∅ 2\/2 \| ∞ 2\/2 \|/);
    expect(csv).not.toMatch(/Infinity|NaN/);
  });

  it('where target and base never agree, DACA has no example to fit on, and the report says so', async () => {
    const { of, stdout, report } = await reportOf([2, 0], [Math.log(0.3), Math.log(0.7)]);
    expect(of('daca')).toMatchObject({ temperatureKind: 'none', temperatureReason: 'no-examples', ece: null });
    expect(of('daca').accuracy).toBeGreaterThan(0);
    for (const text of [stdout, report]) expect(text).toMatch(/chat · DACA ∅ 2\/2 \(no example to fit on\)/);
  });

  it('where every row of the target has equal logits, nothing can be fitted, and the report says so', async () => {
    const { of, stdout, report } = await reportOf([1, 1], [Math.log(0.7), Math.log(0.3)]);
    for (const method of ['daca', 'full-kl', 'relative-only', 'supportcal', 'oracle-ts']) {
      expect(of(method)).toMatchObject({ temperatureKind: 'none', temperatureReason: 'constant-logits', ece: null });
    }
    expect(of('vanilla')).toMatchObject({ meanConfidence: 0.5, temperatureReason: null });
    for (const text of [stdout, report]) expect(text).toMatch(/∅ 2\/2 \(the logits of every example are equal\)/);
  });

  it('is not sought for logits beyond 1e100: such an example is left out for every method, with the reason', async () => {
    const suite = importedSuite();
    await importAll(suite);
    const rows = rowsOf(5, 0.4).map((row, n) => (n < 2 ? { ...row, logits: [1e308, -1e308, n] } : row));
    expect((await suite.import('chat', rows)).code).toBe(0);
    const { code, stderr } = await run(['calibrate', '--suite', 's', '--out', suite.file('out'), ...suite.flags]);
    expect([code, stderr]).toEqual([4, expect.stringMatching(/quiz, chat, example q1: a logit is beyond 1e\+100/)]);
    const { runs, skipped }: Results = JSON.parse(readFileSync(suite.file('out/results.json'), 'utf8'));
    expect(skipped).toHaveLength(2);
    expect(new Set(runs.map((each) => each.calibrationCount + each.evaluationCount))).toEqual(new Set([38]));
  });
});
