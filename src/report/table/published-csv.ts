import type { Results } from '../../results/results-schema.js';
import type { ReportFile } from '../text/report-file.js';
import { reportCsv } from './report-csv.js';

const FIELDS = [
  'target',
  'method',
  'combinationSize',
  'eceMeanPp',
  'eceSePp',
  'printedMeanPp',
  'printedSePp',
  'differencePp',
  'differenceSe',
  'eceTotalSePp',
] as const;

const DIAGNOSTIC_FIELDS = ['dataset', 'quantity', 'combinationSize', 'ours', 'printed', 'difference'] as const;

/**
 * tables/published.csv: our means beside printed ones, one line per target, method and M;
 * tables/published-diagnostics.csv: the same of figures and appendices. No file where none are named.
 */
export function renderPublishedCsv({ published }: Pick<Results, 'published'>): ReportFile[] {
  if (published === null) return [];
  const lines = published.tables.flatMap(({ name, dataset, rows }) =>
    rows.map((row) => [name, dataset, ...FIELDS.map((field) => row[field])]),
  );
  const facts = published.diagnostics.map((row) => DIAGNOSTIC_FIELDS.map((field) => row[field]));
  return [
    ...(lines.length === 0
      ? []
      : [{ path: 'tables/published.csv', data: reportCsv([['table', 'dataset', ...FIELDS], ...lines]) }]),
    ...(facts.length === 0
      ? []
      : [{ path: 'tables/published-diagnostics.csv', data: reportCsv([DIAGNOSTIC_FIELDS, ...facts]) }]),
  ];
}
