import { METRICS, type Metric, type MetricField } from '../../metrics/metrics.js';
import { mean, standardError } from '../../numeric/mean.js';
import type { RunResult } from '../../results/run-schema.js';
import { formatFixed, NOT_AVAILABLE } from '../text/format-number.js';

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

/** One value of a table with what stands behind it. */
export interface MetricCell {
  /** Unrounded, in the unit of the text; null: no seed has one. */
  readonly value: number | null;
  readonly text: string;
}

/** Mean ± SE over seeds, in the unit of the metric. */
export function metricValue(metric: PageMetric, runs: readonly RunResult[]): MetricCell {
  const scale = metric.unit === 'pp' || metric.unit === 'percent' ? 100 : 1;
  const decimals = decimalsOf(metric);
  const values = runs.map((run) => run[metric.field]).filter((value) => value !== null);
  const middle = mean(values);
  if (middle === null) return { value: null, text: NOT_AVAILABLE };
  const spread = standardError(values);
  const text = `${formatFixed(scale * middle, decimals)} ± ${formatFixed(spread === null ? null : scale * spread, decimals)}`;
  return { value: scale * middle, text };
}

export function decimalsOf({ unit }: PageMetric): number {
  return unit === 'fraction' || unit === 'nats' ? 3 : 2;
}

export function unitText({ unit }: PageMetric): string {
  return { pp: 'pp', percent: '%', fraction: '', nats: 'nats', plain: '' }[unit];
}
