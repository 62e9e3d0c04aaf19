import type { CsvValue } from '../../files/csv-cell.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import { curvePointSchema } from '../../results/paper-diagnostics.js';
import type { ReportFile } from '../text/report-file.js';
import { reportCsv } from './report-csv.js';

type Row = Readonly<Record<string, unknown>>;

/**
 * tables/diagnostics--*.csv: one file per list of diagnostics.json that was made, a line per point or bin, with the
 * names and units of diagnostics.json. An empty target stands for the mean over all targets.
 */
export function renderDiagnosticsCsv(diagnostics: Diagnostics): ReportFile[] {
  const points = Object.keys(curvePointSchema.shape);
  return [
    file('disagreement', diagnostics.disagreement),
    file('relative-only', diagnostics.relativeOnly),
    file('reintroduction', spread(diagnostics.reintroduction, 'points'), points),
    file('weight-by-margin', spread(diagnostics.weightByMargin, 'bins')),
    file('weight-by-sign', diagnostics.weightBySign),
    file('sensitivity', spread(diagnostics.sensitivity, 'points'), points),
    file('sample-size', spread(diagnostics.sampleSize, 'points'), points),
    file('regret', diagnostics.regret),
    file('risk-coverage', spread(diagnostics.riskCoverage, 'points'), ['coverage', 'count', 'risk', 'low', 'high']),
    file('combinations', diagnostics.combinations),
  ].filter((each) => each !== null);
}

/** Rows with a list in them as one row per item of the list. */
function spread<K extends string>(
  rows: ReadonlyArray<Row & Readonly<Record<K, readonly Row[]>>> | undefined,
  list: K,
): Row[] | undefined {
  return rows?.flatMap((row) => {
    const { [list]: items, ...rest } = row;
    return (items as readonly Row[]).map((item) => ({ ...rest, ...item }));
  });
}

/** Columns: those of the first row, identifying ones first, then the numbers of a point. */
function file(name: string, rows: readonly Row[] | undefined, last: readonly string[] = []): ReportFile | null {
  const [first] = rows ?? [];
  if (rows === undefined || first === undefined) return null;
  const columns = [...Object.keys(first).filter((column) => !last.includes(column)), ...last];
  const lines = rows.map((row) => columns.map((column) => cell(row[column])));
  return { path: `tables/diagnostics--${name}.csv`, data: reportCsv([columns, ...lines]) };
}

function cell(value: unknown): CsvValue {
  if (typeof value === 'number' || typeof value === 'string') return value;
  return value === null || value === undefined ? null : JSON.stringify(value);
}
