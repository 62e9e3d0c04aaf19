import type { ReportInput } from '../results/report-input.js';
import { figures } from './figure/figures.js';
import { renderHtmlReport } from './html/html-report.js';
import { renderMarkdownReport } from './markdown/markdown-report.js';
import { verdictsIn } from './outcome/lead-verdict.js';
import { renderCsvTables } from './table/csv-tables.js';
import { renderDiagnosticsCsv } from './table/diagnostics-csv.js';
import { latexTables } from './table/latex-tables.js';
import { renderPublishedCsv } from './table/published-csv.js';
import { reportCsv } from './table/report-csv.js';
import { namedByLabel } from './text/named-by-label.js';
import type { ReportFile } from './text/report-file.js';

/** Every file of the report, in memory: report.md, report.html, tables, figures, and beside each its numbers as CSV. */
export function renderReport(input: ReportInput): ReportFile[] {
  const { results, diagnostics } = input;
  const shown = namedByLabel(input, results.labels);
  const verdicts = verdictsIn(shown.results);
  const drawn = figures(shown.results, shown.diagnostics, verdicts);
  return [
    { path: 'report.md', data: renderMarkdownReport(shown.results, shown.diagnostics, drawn) },
    { path: 'report.html', data: renderHtmlReport(shown, verdicts, drawn) },
    ...renderCsvTables(results),
    ...latexTables(shown.results),
    ...renderPublishedCsv(results),
    ...renderDiagnosticsCsv(diagnostics),
    ...drawn.flatMap(({ path, svg, table: { columns, rows } }) => [
      { path, data: svg },
      { path: path.replace(/\.svg$/, '.csv'), data: reportCsv([columns, ...rows]) },
    ]),
  ];
}
