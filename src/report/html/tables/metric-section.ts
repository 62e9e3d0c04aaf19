import { groupBy } from '../../../contract/group-by.js';
import { methodKey } from '../../../results/method-label.js';
import type { Results } from '../../../results/results-schema.js';
import type { PaperTable } from '../../table/paper-table.js';
import { html, jsonData, type Markup } from '../page/markup.js';
import { PAGE_BUDGET, withinBudget } from '../page/page-budget.js';
import { decimalsOf, metricValue, PAGE_METRICS, type PageMetric, unitText } from './page-metrics.js';

/**
 * Every metric besides the ECE as data, of which the page makes the tables of the one that is asked for; what does not
 * fit into the page is named with the file that has it.
 */
export function metricSection(tables: readonly PaperTable[], results: Results): Markup {
  const runs = groupBy(results.runs, (run) =>
    keyOf(run.dataset, run.target, methodKey(run.method, run.combinationSize)),
  );
  const kept = withinBudget(PAGE_METRICS, PAGE_BUDGET.metrics, (metric) =>
    jsonData({
      field: metric.field,
      name: metric.name,
      unit: unitText(metric),
      note: `${metric.name}: ${metric.meaning}. ${direction(metric)} Not tested, so nothing is marked. ${intervalNote(metric, results)}`,
      decimals: decimalsOf(metric),
      tables: tables.map((table) => metricRows(metric, table, results, runs)),
    }),
  );
  const shown = kept.filter(({ content }) => content !== null);
  const beyond = kept.flatMap(({ item, content }) => (content === null ? [item.name] : []));
  return html`<div class="metric-view" data-columns="${JSON.stringify(tables.map(columnsOf))}">
<p class="metric-choice" hidden><label>Metric <select name="metric">${shown.map(({ item }) => html`<option value="${item.field}">${item.name}</option>`)}</select></label></p>
<p class="note">Every number, of every split: <a class="file" href="tables/runs.csv">tables/runs.csv</a>.${beyond.length > 0 && html` There alone, since this page would be too large with them: ${beyond.join(', ')}.`}</p>
<div class="metric-tables"></div>
${shown.map(({ content }) => content)}</div>`;
}

function columnsOf({ dataset, columns, rows }: PaperTable) {
  return {
    dataset,
    targets: rows.map(({ target }) => target),
    columns: columns.map(({ key, label, labelFree }) => [key, label, labelFree]),
  };
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

type Runs = ReadonlyMap<string, Results['runs']>;

/** Per target and method the mean, its standard error over splits, and its interval, as far as they are known. */
function metricRows(metric: PageMetric, { dataset, columns, rows }: PaperTable, { summary }: Results, runs: Runs) {
  const own = summary.filter((row) => row.dataset === dataset);
  const intervalOf = new Map(own.map((row) => [keyOf(row.target, methodKey(row.method, row.combinationSize)), row]));
  return rows.map(({ target }) =>
    columns.map(({ key }) => {
      const { value, error } = metricValue(metric, runs.get(keyOf(dataset, target, key)) ?? []);
      if (value === null) return null;
      const known: Readonly<Record<string, { lowPp: number; highPp: number } | null>> =
        intervalOf.get(keyOf(target, key))?.intervals ?? {};
      const interval = known[metric.field] ?? null;
      return [value, error, ...(interval === null ? [] : [interval.lowPp, interval.highPp])].map(digits);
    }),
  );
}

/** Six digits: more than a cell shows. */
function digits(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(6));
}

/** Errors in pp whose interval some runs have. */
const WITH_INTERVAL: ReadonlySet<string> = new Set([
  ...['debiasedEce', 'rmsCe', 'debiasedRmsCe', 'mce', 'smoothEce', 'classwiseEce'],
]);

function intervalNote({ field }: PageMetric, { summary }: Results): string {
  if (!WITH_INTERVAL.has(field)) return '';
  if (summary.every(({ intervals }) => intervals === null)) return 'Intervals: --diagnostics full.';
  const limits = field === 'smoothEce' ? ' It is too short where nearly all answers are sure.' : '';
  return `Pointing at a cell shows its interval of level ${field === 'mce' ? 'at least ' : ''}0.95.${limits}`;
}

function direction({ best }: PageMetric): string {
  if (best === null) return '';
  return { low: 'Lower is better.', high: 'Higher is better.', zero: 'Closer to 0 is better.' }[best];
}
