import type { Results } from '../results/results-schema.js';
import { eceTable } from './markdown/dataset-section.js';
import { escapeMarkdown } from './markdown/escape-markdown.js';
import { footnotes } from './table/cell-text.js';
import { latexTables } from './table/latex-tables.js';
import { buildPaperTable } from './table/paper-table.js';
import { reportCsv } from './table/report-csv.js';
import { namedByLabel } from './text/named-by-label.js';

/** Ways to print the ECE tables besides the one for terminals and the whole of results.json. */
export type TableFormat = keyof typeof FORMATS;

const FORMATS = { markdown: markdownTables, latex: latexText, csv: summaryCsv };

export const TABLE_FORMATS = Object.keys(FORMATS) as readonly TableFormat[];

/** The ECE tables of a run as text for another program or document. */
export function formatTables(format: TableFormat, results: Results): string {
  return FORMATS[format](format === 'csv' ? results : namedByLabel(results, results.labels));
}

function markdownTables(results: Results): string {
  const datasets = [...new Set(results.summary.map((row) => row.dataset))];
  return datasets
    .map((dataset) => {
      const table = buildPaperTable(results, dataset);
      const seeds = table.seeds === 1 ? 'one seed' : `mean ± SE over ${table.seeds} seeds`;
      const head = `### ${escapeMarkdown(dataset)}: ECE in pp, ${seeds}`;
      return `${[head, eceTable(table), ...footnotes(table).map(escapeMarkdown)].join('\n\n')}\n`;
    })
    .join('\n');
}

/** The tables/*.tex of the report, one after the other. */
function latexText(results: Results): string {
  return latexTables(results)
    .map(({ data }) => data)
    .join('\n');
}

/** One line per data set, target, method and M, full precision; target `macro-average`: the mean over targets. */
function summaryCsv({ summary, macro }: Results): string {
  const fields = [
    'dataset',
    'target',
    'method',
    'combinationSize',
    'eceMeanPp',
    'eceSePp',
    'eceLowPp',
    'eceHighPp',
  ] as const;
  const rows = [...summary, ...macro.map((row) => ({ ...row, target: 'macro-average', eceSePp: null }))];
  return reportCsv([fields, ...rows.map((row) => fields.map((field) => row[field]))]);
}
