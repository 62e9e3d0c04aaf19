import type { CsvValue } from '../../files/csv-cell.js';
import type { Results } from '../../results/results-schema.js';
import { runSchema } from '../../results/run-schema.js';
import { tablePath } from '../text/file-names.js';
import type { ReportFile } from '../text/report-file.js';
import { buildPaperTable, type PaperTable } from './paper-table.js';
import { reportCsv } from './report-csv.js';

/**
 * tables/<dataset>.csv in the paper's layout, one per data set; tables/runs.csv with every run; tables/comparisons.csv
 * with every pair of methods, when there was a bootstrap.
 */
export function renderCsvTables(results: Results): ReportFile[] {
  const datasets = [...new Set(results.summary.map((row) => row.dataset))];
  return [
    ...datasets.map((dataset) => ({ path: tablePath(dataset), data: wideCsv(buildPaperTable(results, dataset)) })),
    { path: 'tables/runs.csv', data: runsCsv(results) },
    ...(results.comparisons.length > 0 ? [{ path: 'tables/comparisons.csv', data: comparisonsCsv(results) }] : []),
  ];
}

/** One line per target and a last one for the macro average; `_pp` are percentage points, the rest fractions. */
function wideCsv(table: PaperTable): string {
  const head = ['row', 'target', 'ownBase', 'ownBaseAccuracy', 'accuracy', 'accuracyGain_pp', 'disagreementRate'];
  const perColumn = ['eceMean_pp', 'eceSe_pp', 'seeds', 'rows', 'infinite', 'none'];
  const rows = table.rows.map((row): CsvValue[] => [
    'target',
    row.target,
    row.ownBase,
    row.ownBaseAccuracy,
    row.accuracy,
    row.gainPp,
    row.disagreementRate,
    ...row.cells.flatMap((cell) => [
      cell.meanPp,
      cell.sePp,
      cell.seeds,
      cell.rows?.min ?? null,
      cell.infinite,
      cell.none,
    ]),
  ]);
  const macro: CsvValue[] = [
    'macro-average',
    null,
    null,
    null,
    null,
    null,
    null,
    ...table.macro.flatMap((cell) => [cell.meanPp, null, null, null, null, null]),
  ];
  const columns = table.columns.flatMap(({ key }) => perColumn.map((name) => `${key}.${name}`));
  return reportCsv([[...head, ...columns], ...rows, macro]);
}

/** The comparisons of results.json; an empty target is the mean over targets. */
function comparisonsCsv({ comparisons }: Results): string {
  const fields = Object.keys(comparisons[0] ?? {}) as (keyof Results['comparisons'][number])[];
  return reportCsv([fields, ...comparisons.map((row) => fields.map((field) => row[field]))]);
}

/** The fields of results.json by their names, those that no run has left out; selected references as a JSON list. */
function runsCsv(results: Results): string {
  const all = Object.keys(runSchema.shape) as (keyof typeof runSchema.shape)[];
  const fields = all.filter((field) => field !== 'nllKind' || results.runs.some((run) => run.nllKind !== undefined));
  const rows = results.runs.map((run) =>
    fields.map((field): CsvValue => {
      const value = run[field] ?? null;
      return Array.isArray(value) ? JSON.stringify(value) : value;
    }),
  );
  return reportCsv([fields, ...rows]);
}
