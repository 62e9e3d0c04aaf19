import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { csvCell, csvText, undefuse } from '../../../src/files/csv-cell.js';
import { renderCsvTables } from '../../../src/report/table/csv-tables.js';
import { exampleResults } from '../example-results.js';

const hostile = [
  '=HYPERLINK("x")',
  '-2+3 = ?',
  '+1',
  '@x',
  '\tx',
  '\r',
  "'=1",
  " ='x'",
  '＝1',
  'a,"b"\nc',
  "'quoted'",
  ' x ',
];

test('text that a spreadsheet would run is defused and reads back as it was', () => {
  const [cells] = parse(csvText([hostile])) as string[][];
  for (const cell of cells!) expect(cell).not.toMatch(/^\s*[=+\-@\uff1d]/);
  expect(cells!.map(undefuse)).toEqual(hostile);
});

test('numbers stay numbers at full precision, null is empty', () => {
  expect(csvText([[-0.4, 0.1 + 0.2, 1e-7, null, 12]])).toBe('-0.4,0.30000000000000004,1e-7,,12\n');
  expect(csvCell('-0.4')).toBe("'-0.4");
});

test('each data set has a wide table with unrounded numbers, and all runs stand in runs.csv', () => {
  const results = exampleResults({ targets: ['=t', 'u'] });
  const files = renderCsvTables(results);
  expect(files.map((file) => file.path)).toEqual([
    ...['tables/demo-facts.csv', 'tables/demo-word-problems.csv', 'tables/demo-sentiment.csv', 'tables/runs.csv'],
  ]);
  const wide = parse(files[0]!.data, { columns: true }) as Record<string, string>[];
  expect(wide.map((row) => [row.row, undefuse(row.target!)])).toEqual([
    ['target', '=t'],
    ['target', 'u'],
    ['macro-average', ''],
  ]);
  const daca = results.summary.find((row) => row.dataset === 'demo-facts' && row.method === 'daca')!;
  expect(Number(wide[0]!['daca.eceMean_pp'])).toBe(daca.eceMeanPp);
  expect(wide[0]!['supportcal-2.rows']).toBe('560');
  const runs = parse(files[3]!.data, { columns: true }) as Record<string, string>[];
  expect(runs).toHaveLength(results.runs.length);
  expect(runs.map((run) => Number(run.ece))).toEqual(results.runs.map((run) => run.ece));
  expect(runs.filter((run) => run.method === 'supportcal')[1]!.selectedReferences).toBe('["mistral-demo"]');
});

test('lines end in LF alone', () => {
  for (const file of renderCsvTables(exampleResults())) expect(file.data).not.toContain('\r');
});
