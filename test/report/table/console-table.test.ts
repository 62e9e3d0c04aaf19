import { expect, test } from 'vitest';
import { renderConsoleTable } from '../../../src/report/table/console-table.js';
import { buildPaperTable } from '../../../src/report/table/paper-table.js';
import { exampleResults } from '../example-results.js';

const hostile = 'evil\u001b[2J\u0007\u009b\nname';
const table = buildPaperTable(exampleResults({ datasets: ['demo-facts'] }), 'demo-facts');
/** Any control character but the line break. */
const CONTROL = /[^\P{Cc}\n]/u;
const wide = { color: false, width: Number.POSITIVE_INFINITY };

test('the wide layout has one line per target and a rule above the macro average', () => {
  const lines = renderConsoleTable(table, wide).split('\n');
  const rows = lines.filter((line) => /demo-(chat|expert)/.test(line));
  expect(rows).toHaveLength(5);
  const macro = lines.findIndex((line) => line.includes('Macro average'));
  expect(lines[macro - 1]).toMatch(/^─+┼─+$/);
  expect(rows[0]).toMatch(/llama-demo-chat .*→.*\(\+\d+\.\d\).* 35\.82 ± 0\.16 .*│ +\d+\.\d\d ± \d\.\d\d/);
});

test('all lines of the wide table end in the same column and the oracle stands behind one line', () => {
  const lines = renderConsoleTable(table, wide)
    .split('\n')
    .filter((line) => /[─│]/.test(line));
  expect(new Set(lines.map((line) => line.length)).size).toBe(1);
  expect(new Set(lines.map((line) => line.search(/[│┬┼┴]/))).size).toBe(1);
});

test('without colour best and second carry * and +, once per target, never the oracle', () => {
  const rows = renderConsoleTable(table, wide)
    .split('\n')
    .filter((line) => /demo-(chat|expert)/.test(line));
  for (const row of rows) {
    expect(row.match(/\*/g)).toHaveLength(1);
    expect(row.match(/\d\+/g)).toHaveLength(1);
    expect(row.split('│')[1]).not.toMatch(/[*+]/);
  }
});

test('colour comes only when asked for, and the text stays the same', () => {
  const colored = renderConsoleTable(table, { color: true, width: 1000 });
  expect(colored).toContain('\u001b[1m\u001b[32m');
  expect(colored).toContain('\u001b[4m');
  expect(renderConsoleTable(table, wide)).not.toMatch(CONTROL);
});

test('text from data cannot reach the terminal as a control sequence', () => {
  const results = exampleResults({ datasets: [hostile], targets: [hostile] });
  for (const width of [40, 1000]) {
    const text = renderConsoleTable(buildPaperTable(results, hostile), { color: false, width });
    expect(text).toContain('evil[2J name');
    expect(text).not.toMatch(CONTROL);
  }
});

test('a narrow terminal gets blocks that fit its width and hold the same numbers', () => {
  const narrow = renderConsoleTable(table, { color: false, width: 60 });
  expect(Math.max(...narrow.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
  const numbers = (text: string) => [...text.matchAll(/\d+\.\d\d ± \d\.\d\d/g)].map(([match]) => match);
  expect(numbers(narrow)).toHaveLength(35);
  expect(numbers(narrow)).toEqual(numbers(renderConsoleTable(table, wide)));
});

test('one seed says that there is no standard error', () => {
  const single = buildPaperTable(exampleResults({ datasets: ['d'], seeds: [1] }), 'd');
  const text = renderConsoleTable(single, wide);
  expect(text).toContain('one seed (no standard error)');
  expect(text).toContain('± n/a');
});
