import { expect, it } from 'vitest';
import { METHOD_NAMES } from '../../../src/calibration/methods.js';
import { formatTables } from '../../../src/report/format-tables.js';
import { renderReport } from '../../../src/report/render-report.js';
import { chosenColumns, PAPER_COLUMNS } from '../../../src/report/table/chosen-columns.js';
import { buildPaperTable } from '../../../src/report/table/paper-table.js';
import { exampleDiagnostics, exampleResults } from '../example-results.js';

const results = exampleResults({ datasets: ['demo-facts'] });

it('shows the methods of a list in its order, marked as among all, with a fit on labels last', () => {
  const all = buildPaperTable(results, 'demo-facts');
  const table = buildPaperTable(chosenColumns(results, ['oracle-ts', 'supportcal', 'vanilla']), 'demo-facts');
  expect(table.columns.map(({ method }) => method)).toEqual([
    ...all.columns.flatMap(({ method }) => (method === 'supportcal' ? [method] : [])),
    'vanilla',
    'oracle-ts',
  ]);
  const cellOf = ({ columns, rows }: typeof all) => rows[0]!.cells[columns.findIndex(({ key }) => key === 'vanilla')];
  expect(cellOf(table)).toEqual(cellOf(all));
});

it("knows the paper's columns by names that are methods", () => {
  expect(PAPER_COLUMNS.filter((name) => !METHOD_NAMES.includes(name))).toEqual([]);
});

it('names rows by their labels in pages, LaTeX and figures, and by their ids in CSV', () => {
  const id = results.summary[0]!.target;
  const labelled = { ...results, labels: { [id]: 'A <label>' } };
  const input = {
    results: labelled,
    diagnostics: exampleDiagnostics({ datasets: ['demo-facts'] }),
    examples: null,
    answers: null,
    manifest: null,
  };
  const files = new Map(renderReport(input).map(({ path, data }) => [path, data]));
  expect(files.get('tables/demo-facts.tex')).toMatch(/A .*label/);
  expect(files.get('tables/demo-facts.tex')).not.toContain(id);
  expect(files.get('report.md')).toContain('label');
  expect(files.get('report.html')).toContain('A &lt;label&gt;');
  expect(files.get('tables/runs.csv')).toContain(id);
  expect(formatTables('csv', labelled)).toContain(id);
  expect(formatTables('markdown', labelled)).not.toContain(id);
});
