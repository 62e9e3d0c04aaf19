import { renderReliabilityFigures } from './figure/reliability-figures.js';
import { renderHtmlReport } from './html/html-report.js';
import { renderMarkdownReport } from './markdown/markdown-report.js';
import type { ReportFile } from './report-file.js';
import type { ReportInput } from './report-input.js';
import { renderCsvTables } from './table/csv-tables.js';
import { renderDiagnosticsCsv } from './table/diagnostics-csv.js';
import { renderPublishedCsv } from './table/published-csv.js';

/** Every file of the report, in memory: report.md, report.html, tables/*.csv, figures/*.svg. */
export function renderReport(input: ReportInput): ReportFile[] {
  const { results, diagnostics } = input;
  const figures = renderReliabilityFigures(diagnostics);
  return [
    { path: 'report.md', data: renderMarkdownReport(results, diagnostics, figures) },
    { path: 'report.html', data: renderHtmlReport(input, figures) },
    ...renderCsvTables(results),
    ...renderPublishedCsv(results),
    ...renderDiagnosticsCsv(diagnostics),
    ...figures.map(({ path, svg }) => ({ path, data: svg })),
  ];
}
