import { mean } from '../../numeric/mean.js';
import { methodKey } from '../../results/method-label.js';
import type { Results } from '../../results/results-schema.js';
import type { RunResult } from '../../results/run-schema.js';
import { accuracyText, cellMarks, cellText, footnotes, macroText, markNote, suspectMark } from '../table/cell-text.js';
import { differenceParts, differencesFromDaca, type EceDifference } from '../table/ece-difference.js';
import type { PaperColumn, PaperTable } from '../table/paper-table.js';
import { zip } from '../table/zip.js';
import { formatFixed, formatPercent, NOT_AVAILABLE } from '../text/format-number.js';
import { html, type Markup } from './markup.js';
import { methodTable, type TableCell } from './method-table.js';
import { withinBudget } from './page-budget.js';
import { decimalsOf, metricValue, PAGE_METRICS, type PageMetric, unitText } from './page-metrics.js';
import { publishedTables } from './published-table.js';

/**
 * ECE of one data set in the paper's layout, and every other metric in the same layout behind its name, as many of them
 * as fit into so many characters.
 */
export function tableSection(table: PaperTable, results: Results, budget: number): Markup {
  const { dataset } = table;
  const runsOf = runIndex(results.runs.filter((run) => run.dataset === dataset));
  const seeds = table.seeds === 1 ? 'one split' : `mean ± SE over ${table.seeds} splits`;
  const differences = differencesFromDaca(table);
  const source = { runsOf, seeds, summary: results.summary };
  const metrics = withinBudget(PAGE_METRICS, budget, (metric) => metricDetails(metric, table, source));
  const beyond = metrics.flatMap(({ item, content }) => (content === null ? [item.name] : []));
  const notes = [
    markNote(table),
    ...(differences === null
      ? []
      : [
          `Less DACA: mean difference of ECE over targets in pp; interval of level 0.95 and p-values of the paired test on new examples for these targets (${table.comparisons[0]?.resamples} resamples, temperatures refitted).`,
        ]),
    ...footnotes(table),
  ];
  return html`<section class="dataset" data-dataset="${dataset}">
<h3>${dataset}</h3>
<div class="metric-view">
<div class="metric ece">${eceTable(table, results, `ECE in pp, ${seeds}`, differences)}
${notes.map((note) => html`<p class="note">${note}</p>`)}</div>
${publishedTables(dataset, results)}
<p class="metric-head">Every other metric</p>
<div class="metrics">${metrics.map(({ content }) => content)}</div>
${beyond.length > 0 && html`<p class="note">In <a class="file" href="tables/runs.csv">tables/runs.csv</a> beside this page, which would be too large with them: ${beyond.join(', ')}.</p>`}
</div></section>`;
}

function eceTable(
  table: PaperTable,
  results: Results,
  caption: string,
  differences: ReturnType<typeof differencesFromDaca>,
): Markup {
  const intervals = new Map(
    results.summary
      .filter((row) => row.dataset === table.dataset)
      .map((row) => [JSON.stringify([row.target, methodKey(row.method, row.combinationSize)]), row]),
  );
  const hint = (target: string, column: PaperColumn) => {
    const row = intervals.get(JSON.stringify([target, column.key]));
    if (row === undefined || row.eceLowPp === null) return null;
    return cellHint(row);
  };
  return methodTable({
    caption: `${table.dataset}: ${caption}`,
    dataset: table.dataset,
    columns: table.columns,
    leads: ['Accuracy %, base → post (gain)', 'Disagree %'],
    rows: table.rows.map((row) => ({
      target: row.target,
      mark: suspectMark(row),
      leads: [
        { content: html`${accuracyText(row)}`, value: row.gainPp },
        { content: html`${formatPercent(row.disagreementRate)}`, value: row.disagreementRate },
      ],
      cells: zip(row.cells, table.columns).map(([cell, column]) => ({
        text: cellText(cell),
        value: cell.meanPp,
        rank: cell.rank,
        marks: cellMarks(cell),
        hint: hint(row.target, column),
      })),
    })),
    macro: table.macro.map((cell) => ({ text: macroText(cell), value: cell.meanPp, rank: cell.rank })),
    below: differences && { label: 'Less DACA', cells: differences.map(differenceCell) },
  });
}

/** Interval, total standard error, and what a calibrated model would show. */
function cellHint(row: Results['summary'][number]): string {
  const total = row.eceTotalSePp === null ? '' : `; total standard error ${formatFixed(row.eceTotalSePp)} pp`;
  const { calibratedMeanPp: mean, calibratedHighPp: high, calibratedPValue: p } = row;
  const calibrated =
    p === null
      ? ''
      : `; a calibrated model would show ${formatFixed(mean)} pp, in 1 of 20 cases ${formatFixed(high)} or more (p = ${formatFixed(p, 3)})`;
  return `95 % interval ${formatFixed(row.eceLowPp)} to ${formatFixed(row.eceHighPp)} pp${total}${calibrated}`;
}

function differenceCell(difference: EceDifference | null): Markup | null {
  if (difference === null) return null;
  const { value, interval, p } = differenceParts(difference);
  return html`<span>${value}</span><span>${interval}</span><span>${p}</span>`;
}

type RunsOf = (target: string, key: string) => readonly RunResult[];

function runIndex(runs: readonly RunResult[]): RunsOf {
  const index = new Map<string, RunResult[]>();
  const keyOf = (target: string, key: string) => JSON.stringify([target, key]);
  for (const run of runs) {
    const key = keyOf(run.target, methodKey(run.method, run.combinationSize));
    const group = index.get(key);
    if (group) group.push(run);
    else index.set(key, [run]);
  }
  return (target, key) => index.get(keyOf(target, key)) ?? [];
}

/** What a table of a metric is made from beside its name. */
interface MetricSource {
  readonly runsOf: RunsOf;
  /** What the cells are means over. */
  readonly seeds: string;
  readonly summary: Results['summary'];
}

function metricDetails(metric: PageMetric, table: PaperTable, { runsOf, seeds, summary }: MetricSource): Markup {
  const own = summary.filter(({ dataset }) => dataset === table.dataset);
  const rows = table.rows.map(({ target }) => {
    const values = table.columns.map((column) => ({
      ...metricValue(metric, runsOf(target, column.key)),
      hint: intervalHint(
        metric,
        own.find((row) => row.target === target && isOf(column, row)),
      ),
    }));
    return { target, leads: [], cells: unmarked(values) };
  });
  const macro = table.columns.map((_, i) => {
    const values = rows.map((row) => row.cells[i]?.value ?? null).filter((value) => value !== null);
    const value = mean(values);
    return { value, text: value === null ? NOT_AVAILABLE : formatFixed(value, decimalsOf(metric)) };
  });
  const unit = unitText(metric);
  const caption = `${table.dataset}: ${metric.name}${unit === '' ? '' : ` in ${unit}`}, ${seeds}`;
  return html`<details class="metric" data-metric="${metric.field}"><summary title="${metric.meaning}">${metric.name}</summary>
<p class="note">${metric.name}: ${metric.meaning}. ${direction(metric)} Not tested, so nothing is marked. ${intervalNote(metric, own)}</p>
${methodTable({
  caption,
  dataset: table.dataset,
  columns: table.columns,
  leads: [],
  rows,
  macro: unmarked(macro),
})}</details>`;
}

/** Errors in pp whose interval some runs have, and those that have none by nature. */
const WITH_INTERVAL: ReadonlySet<string> = new Set(['debiasedEce', 'rmsCe', 'debiasedRmsCe', 'classwiseEce']);
const WITHOUT_INTERVAL: Readonly<Record<string, string>> = {
  smoothEce: 'No interval: its law on few examples is not known to us.',
  mce: 'No interval: the largest of ten noisy gaps says little about the largest true one.',
};

function intervalNote({ field }: PageMetric, summary: Results['summary']): string {
  if (!WITH_INTERVAL.has(field)) return WITHOUT_INTERVAL[field] ?? '';
  if (summary.some(({ intervals }) => intervals !== null))
    return 'Pointing at a cell shows its interval of level 0.95.';
  return 'Intervals: --diagnostics full.';
}

function intervalHint({ field }: PageMetric, row: Results['summary'][number] | undefined): string | null {
  const known: Readonly<Record<string, { lowPp: number; highPp: number } | null>> = row?.intervals ?? {};
  const interval = known[field] ?? null;
  return interval && `95 % interval ${formatFixed(interval.lowPp)} to ${formatFixed(interval.highPp)} pp`;
}

function isOf(column: PaperColumn, row: Results['summary'][number]): boolean {
  return row.method === column.method && row.combinationSize === column.combinationSize;
}

/** No test was made of these. */
function unmarked(cells: ReadonlyArray<Omit<TableCell, 'rank'>>): TableCell[] {
  return cells.map((cell) => ({ ...cell, rank: null }));
}

function direction({ best }: PageMetric): string {
  if (best === null) return '';
  return { low: 'Lower is better.', high: 'Higher is better.', zero: 'Closer to 0 is better.' }[best];
}
