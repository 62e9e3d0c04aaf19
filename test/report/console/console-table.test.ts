import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { renderConsoleTable } from '../../../src/report/console/console-table.js';
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

test('without colour the methods that cannot be told from the best carry *, never the oracle', () => {
  const rows = renderConsoleTable(table, wide)
    .split('\n')
    .filter((line) => /demo-(chat|expert)/.test(line));
  for (const row of rows) {
    expect(row.match(/\d\*/g)).toHaveLength(2);
    expect(row.split('│')[1]).not.toContain('*');
  }
});

test('colour comes only when asked for, and the text stays the same', () => {
  const colored = renderConsoleTable(table, { color: true, width: 1000 });
  expect(colored).toContain('\u001b[1m\u001b[32m');
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

const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length));
const inOrder = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([match]) => match);

test.each([100, 80, 60])('at %i columns the errors stand below their means, and no number is lost', (width) => {
  const text = renderConsoleTable(table, { color: false, width });
  expect(widest(text)).toBeLessThanOrEqual(width);
  const all = renderConsoleTable(table, wide);
  const body = (whole: string) => whole.slice(0, whole.indexOf('Lower is better'));
  const means = inOrder(body(text), /\d+\.\d\d[*+ ]/g).filter((each) => !each.startsWith('±'));
  expect(inOrder(body(text), /±\d\.\d\d/g)).toHaveLength(35);
  for (const row of table.rows) {
    for (const { meanPp, sePp } of row.cells) {
      expect(body(text)).toContain(` ${meanPp!.toFixed(2)}`);
      expect(body(text)).toContain(`±${sePp!.toFixed(2)}`);
    }
  }
  expect(means.filter((each) => each.endsWith('*'))).toHaveLength(10);
  expect(inOrder(all, /\d\*/g)).toHaveLength(10);
});

test('methods that do not fit side by side are dealt evenly to several tables, each with the targets', () => {
  const parts = (width: number) =>
    renderConsoleTable(table, { color: false, width })
      .split('\n')
      .filter((line) => line.startsWith(' Target')).length;
  expect(parts(100)).toBe(1);
  expect(parts(60)).toBe(2);
});

test('the lines of a table of several parts line up, with colour too, marks of missing temperatures included', () => {
  const results = exampleResults({ datasets: ['d'], targets: ['t', 'u'] }, (run) =>
    run.method === 'daca' && run.target === 't'
      ? { ...run, temperature: null, temperatureKind: 'infinite' as const }
      : run,
  );
  for (const color of [false, true]) {
    const text = renderConsoleTable(buildPaperTable(results, 'd'), { color, width: 80 });
    const lines = stripVTControlCharacters(text).split('\n');
    const rule = lines.findIndex((line) => line.startsWith('─'));
    const end = lines.findLastIndex((line) => line.startsWith('─'));
    expect(new Set(lines.slice(rule, end + 1).map((line) => line.length)).size).toBe(1);
    expect(lines.slice(rule, end).join('\n')).toMatch(/±\d\.\d\d ?∞/);
  }
});

test('where three methods do not fit, every target gets a block with the same numbers', () => {
  const narrow = renderConsoleTable(table, { color: false, width: 45 });
  expect(widest(narrow)).toBeLessThanOrEqual(45);
  const cells = /\d+\.\d\d ± \d\.\d\d/g;
  expect(inOrder(narrow, cells)).toHaveLength(35);
  expect(inOrder(narrow, cells)).toEqual(inOrder(renderConsoleTable(table, wide), cells));
});

test('one split says that there is no standard error', () => {
  const single = buildPaperTable(exampleResults({ datasets: ['d'], seeds: [1] }), 'd');
  const text = renderConsoleTable(single, wide);
  expect(text).toContain('one split (no standard error)');
  expect(text).toContain('± n/a');
});

test('a brief table has the means alone with one digit, marks and footnotes, and says how to get the rest', () => {
  const brief = renderConsoleTable(table, { ...wide, brief: true });
  const full = renderConsoleTable(table, wide);
  expect(brief).not.toContain('±');
  expect(brief).toContain('--wide adds standard errors and differences');
  const cells = (text: string, pattern: RegExp) =>
    inOrder(text.slice(0, text.indexOf('Lower is better')), pattern).map((cell) => Number.parseFloat(cell));
  const means = cells(full, /\d+\.\d\d(?= ±)/g);
  const shown = cells(brief, /(?<=\) .*)\d+\.\d(?!\d| →)/g);
  expect(shown).toHaveLength(means.length);
  // Both are rounded from the same number, the full table to two digits.
  for (const [n, mean] of means.entries()) expect(Math.abs(shown[n]! - mean)).toBeLessThan(0.0551);
  expect(inOrder(brief, /\d\*/g)).toHaveLength(inOrder(full, /\d\*/g).length);
  for (const width of [80, 45])
    expect(widest(renderConsoleTable(table, { color: false, width, brief: true }))).toBeLessThanOrEqual(width);
});
