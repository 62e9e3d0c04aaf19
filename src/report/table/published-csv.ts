import { csvText } from '../../files/csv-cell.js';
import type { ReportFile } from '../report-file.js';
import type { Results } from '../results-schema.js';

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
] as const;

/** tables/published.csv: our means beside printed ones, one line per target, method and M; no file where none are named. */
export function renderPublishedCsv({ published }: Pick<Results, 'published'>): ReportFile[] {
  if (published === null) return [];
  const lines = published.tables.flatMap(({ name, dataset, rows }) =>
    rows.map((row) => [name, dataset, ...FIELDS.map((field) => row[field])]),
  );
  return [{ path: 'tables/published.csv', data: csvText([['table', 'dataset', ...FIELDS], ...lines]) }];
}
