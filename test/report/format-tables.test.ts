import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { formatTables } from '../../src/report/format-tables.js';
import { exampleResults } from './example-results.js';

const results = exampleResults({ datasets: ['facts', 'x|y'], targets: ['tern', '=heron'] });

test('csv has one line per data set, target, method and M at full precision, then the macro averages', () => {
  const rows = parse(formatTables('csv', results), { columns: true }) as Record<string, string>[];
  expect(rows).toHaveLength(results.summary.length + results.macro.length);
  expect(Number(rows[0]!.eceMeanPp)).toBe(results.summary[0]!.eceMeanPp);
  expect(rows.some(({ target }) => target === "'=heron")).toBe(true);
  expect(rows.at(-1)).toMatchObject({ dataset: 'x|y', target: 'macro-average', method: 'oracle-ts' });
});

test('markdown has one table per data set in the layout of the paper, names escaped', () => {
  const text = formatTables('markdown', results);
  expect(text.match(/^### .*: ECE in pp, mean ± SE over 5 seeds$/gm)).toHaveLength(2);
  expect(text).toContain('| *Macro average* |');
  expect(text).toMatch(/\| tern \|.*\*\*\d+\.\d\d ± \d+\.\d\d\*\*/);
  expect(text).toContain('x\\|y');
});

test('latex has one booktabs table per data set', () => {
  const text = formatTables('latex', results);
  expect(text.match(/\\toprule/g)).toHaveLength(2);
  expect(text.match(/\\bottomrule/g)).toHaveLength(2);
});
