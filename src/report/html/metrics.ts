import { mean, standardError } from '../../numeric/mean.js';
import type { RunResult } from '../../results/results-schema.js';
import { type Rank, rankValues } from '../table/rank-values.js';
import { formatFixed, NOT_AVAILABLE } from '../text/format-number.js';

type NumberField = {
  [K in keyof RunResult]: RunResult[K] extends number | null ? K : never;
}[keyof RunResult];

export interface Metric {
  readonly field: NumberField;
  readonly name: string;
  /** What it is, in a sentence for a reader who does not know it. */
  readonly meaning: string;
  readonly unit: 'pp' | 'percent' | 'fraction' | 'nats' | 'plain';
  /** Which value is best; null: none is. */
  readonly best: 'low' | 'high' | 'zero' | null;
}

/** Every metric of a run besides the ECE, in the order in which the page offers them. */
export const METRICS: readonly Metric[] = [
  metric('mce', 'MCE', 'largest gap between confidence and accuracy of a bin', 'pp', 'low'),
  metric('rmsCe', 'RMS calibration error', 'root of the mean squared gap over bins', 'pp', 'low'),
  metric('adaptiveEce', 'Adaptive ECE', 'ECE over bins with equally many examples', 'pp', 'low'),
  metric('classwiseEce', 'Classwise ECE', 'mean over options of the ECE of their probability', 'pp', 'low'),
  metric('smoothEce', 'Smooth ECE', 'calibration error without bins (relplot)', 'pp', 'low'),
  metric('debiasedEce', 'Debiased ECE', 'ECE less its finite-sample bias', 'pp', 'zero'),
  metric('debiasedRmsCe', 'Debiased RMS', 'RMS calibration error less its bias', 'pp', 'low'),
  metric('overconfidence', 'Over-confidence', 'mean confidence minus accuracy; below 0 under-confident', 'pp', 'zero'),
  metric('meanConfidence', 'Mean confidence', 'mean probability of the predicted option', 'percent', null),
  metric('accuracy', 'Accuracy', 'share of right predictions', 'percent', 'high'),
  metric('nll', 'NLL', 'mean negative log-likelihood of the label', 'nats', 'low'),
  metric('brier', 'Brier score', 'squared distance to the label, 0 to 2', 'fraction', 'low'),
  metric('brierReliability', 'Brier: reliability', 'part of the Brier score from calibration', 'fraction', 'low'),
  metric('brierResolution', 'Brier: resolution', 'part that knowing the bins takes away', 'fraction', 'high'),
  metric('auroc', 'AUROC', 'how well confidence tells right from wrong; 0.5 is chance', 'fraction', 'high'),
  metric('aurc', 'AURC', 'error averaged over all shares of most confident answers', 'fraction', 'low'),
  metric('excessAurc', 'Excess AURC', 'AURC less that of a perfect order', 'fraction', 'low'),
  metric('temperature', 'Temperature', 'mean over the seeds that have a finite one', 'plain', null),
];

/** One value of a table with what stands behind it. */
export interface MetricCell {
  /** Unrounded, in the unit of the text; null: no seed has one. */
  readonly value: number | null;
  readonly text: string;
  readonly rank: Rank;
}

/** Mean ± SE over seeds, in the unit of the metric. */
export function metricValue(metric: Metric, runs: readonly RunResult[]): Omit<MetricCell, 'rank'> {
  const scale = metric.unit === 'pp' || metric.unit === 'percent' ? 100 : 1;
  const decimals = metric.unit === 'fraction' || metric.unit === 'nats' ? 3 : 2;
  const values = runs.map((run) => run[metric.field]).filter((value) => value !== null);
  const middle = mean(values);
  if (middle === null) return { value: null, text: NOT_AVAILABLE };
  const spread = standardError(values);
  const text = `${formatFixed(scale * middle, decimals)} ± ${formatFixed(spread === null ? null : scale * spread, decimals)}`;
  return { value: scale * middle, text };
}

/** Best and second best of a row of values; values whose method does not compete are given as null. */
export function rankMetric({ best }: Metric, values: ReadonlyArray<number | null>): Rank[] {
  if (best === null) return values.map(() => null);
  const cost = (value: number) => (best === 'low' ? value : best === 'high' ? -value : Math.abs(value));
  return rankValues(values.map((value) => (value === null ? null : cost(value))));
}

export function unitText({ unit }: Metric): string {
  return { pp: 'pp', percent: '%', fraction: '', nats: 'nats', plain: '' }[unit];
}

function metric(field: NumberField, name: string, meaning: string, unit: Metric['unit'], best: Metric['best']): Metric {
  return { field, name, meaning, unit, best };
}
