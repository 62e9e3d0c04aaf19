import { expect, test } from 'vitest';
import { tableSection } from '../../../src/report/html/tables/table-section.js';
import { uncertaintySection } from '../../../src/report/markdown/uncertainty-section.js';
import { limitNotes, limitsOf } from '../../../src/report/statistics/interval-limits.js';
import { buildPaperTable } from '../../../src/report/table/paper-table.js';
import { exampleDiagnostics, exampleResults } from '../example-results.js';

/** Ten bins with these counts and, of those bins that have one, a gap between confidence and accuracy. */
function binsOf(counts: readonly number[], gaps: Readonly<Record<number, number>>) {
  return counts.map((count, b) => {
    const confidence = count === 0 ? null : (b + 0.5) / 10;
    const gap = gaps[b] ?? 0.01;
    const accuracy = confidence === null ? null : confidence - gap;
    return { lower: b * (1 / 10), upper: (b + 1) / 10, count, confidence, accuracy, overconfidence: gap };
  });
}

test('answers that are sure for the most part, or an error that one small bin makes, limit an interval', () => {
  expect(limitsOf(binsOf([0, 0, 0, 0, 0, 100, 100, 100, 100, 100], {}))).toEqual([]);
  expect(limitsOf(binsOf([0, 0, 0, 0, 0, 50, 50, 50, 50, 201], {}))).toEqual(['sure']);
  expect(limitsOf(binsOf([0, 0, 0, 0, 0, 50, 50, 50, 50, 200], {}))).toEqual([]);
  expect(limitsOf(binsOf([0, 0, 0, 0, 0, 100, 100, 100, 100, 100], { 7: 0.2 }))).toEqual(['one-bin']);
  // One bin with all answers has no other to differ from.
  expect(limitsOf(binsOf([0, 0, 0, 0, 0, 0, 0, 400, 10, 0], { 7: 0.2 }))).toEqual([]);
  expect(limitsOf(binsOf([0, 0, 0, 0, 0, 0, 0, 0, 0, 0], {}))).toEqual([]);
});

test('the report marks such intervals where they stand and says what simulations found, and no others', () => {
  const shape = { datasets: ['demo-facts'] };
  const made = exampleResults(shape);
  const summary = made.summary.map((row) => ({ ...row, eceLowPp: 1, eceHighPp: 9 }));
  const results = { ...made, summary };
  const table = buildPaperTable(results, 'demo-facts');
  const given = exampleDiagnostics(shape);
  const even = binsOf([0, 0, 0, 0, 0, 100, 100, 100, 100, 100], {});
  const sure = binsOf([0, 0, 0, 0, 0, 50, 50, 50, 50, 400], {});
  const of = (isSure: (target: string, method: string) => boolean) => ({
    ...given,
    reliability: given.reliability.map((each) => ({
      ...each,
      bins: isSure(each.target, each.method) ? sure : even,
    })),
  });
  const none = of(() => false);
  expect(limitNotes(table, none)).toEqual([]);
  expect(uncertaintySection(table, results, none).join('\n')).not.toContain('†');
  const [first] = table.rows;
  const one = of((target, method) => target === first?.target && method === 'vanilla');
  const text = uncertaintySection(table, results, one).join('\n');
  expect(text.match(/\] †/g)).toHaveLength(1);
  expect(text).toContain('† The interval may be too short: more than half of the answers');
  const page = tableSection(table, { results, diagnostics: one, examples: null, answers: null, manifest: null }).text;
  expect(page.match(/† perhaps too short/g)).toHaveLength(1);
  expect(page).toContain('held the true ECE in 0.84 of data sets at worst');
});
