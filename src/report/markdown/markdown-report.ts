import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { Results } from '../../results/results-schema.js';
import { buildPaperTable } from '../table/paper-table.js';
import type { ReportFigure } from '../text/report-file.js';
import { closingSections } from './closing-sections.js';
import { datasetSection, figureList } from './dataset-section.js';
import { diagnosticsSection } from './diagnostics-section.js';
import { headline } from './headline.js';
import { publishedSection } from './published-section.js';

/** report.md as GitHub Markdown; text from data shows literally. Figures are linked by their relative paths. */
export function renderMarkdownReport(
  results: Results,
  diagnostics: Diagnostics,
  figures: readonly ReportFigure[],
): string {
  const datasets = [...new Set(results.summary.map((row) => row.dataset))];
  const tables = datasets.map((dataset) => buildPaperTable(results, dataset));
  const blocks = [
    ...headline(results, tables),
    ...tables.flatMap((table) => [
      ...datasetSection(table, results, diagnostics, figures),
      ...publishedSection(table.dataset, results),
      ...diagnosticsSection(table.dataset, diagnostics),
    ]),
    ...figureList(figures.filter(({ dataset }) => dataset === null)),
    ...closingSections(results),
  ];
  return `${blocks.join('\n\n')}\n`;
}
