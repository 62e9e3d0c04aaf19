import { METRICS, type Metric, type MetricField } from '../../../metrics/metrics.js';
import { mean, standardError } from '../../../numeric/mean.js';
import type { RunResult } from '../../../results/run-schema.js';

/** What the page has a table of: the metrics of a run, and its temperature, which is shown as they are. */
export type PageMetric = Omit<Metric<MetricField | 'temperature'>, 'of' | 'page' | 'added'>;

const TEMPERATURE: PageMetric = {
  field: 'temperature',
  name: 'Temperature',
  meaning: 'mean over the seeds that have a finite one',
  unit: 'plain',
  best: null,
};

/** What the page offers besides the ECE, in the order in which it offers them. */
export const PAGE_METRICS: readonly PageMetric[] = [
  ...METRICS.flatMap((metric) => (metric.page === undefined ? [] : [{ metric, page: metric.page }]))
    .sort((a, b) => a.page - b.page)
    .map(({ metric }) => metric),
  TEMPERATURE,
];

/** Mean over seeds and its standard error, in the unit of the metric; null: no seed has one, or there is one seed. */
export function metricValue(metric: PageMetric, runs: readonly RunResult[]) {
  const scale = metric.unit === 'pp' || metric.unit === 'percent' ? 100 : 1;
  const values = runs.flatMap((run) => run[metric.field] ?? []).map((value) => scale * value);
  return { value: mean(values), error: standardError(values) };
}

/** Digits behind the point. */
export function decimalsOf({ unit }: PageMetric): number {
  return unit === 'fraction' || unit === 'nats' ? 3 : 2;
}

export function unitText({ unit }: PageMetric): string {
  return { pp: 'pp', percent: '%', fraction: '', nats: 'nats', plain: '' }[unit];
}
